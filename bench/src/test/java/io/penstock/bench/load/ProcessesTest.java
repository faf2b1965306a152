package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessesTest {

    @TempDir
    private Path scratch;

    @Test
    void ticksAreReadPastANameWithSpacesAndParentheses() {
        String stat = "42 (a (b) c) S 1 42 42 0 -1 4194560 1000 0 0 0 150 27 9 9 20 0 1 0 100 1 1 18446744073709551615";
        assertThat(ProcessStat.cpuTicks(stat)).isEqualTo(177);
    }

    @Test
    void aStatThatIsNoneIsRefused() {
        assertThatThrownBy(() -> ProcessStat.cpuTicks("42 (cat) S 1")).hasMessageContaining("at least 15 fields");
        assertThatThrownBy(() -> ProcessStat.cpuTicks("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void linesOfStatusAreReadByTheirWholeName() {
        List<String> status = List.of("Name:\tcat", "VmHWM:\t    2048 kB", "VmRSS:\t    1024 kB", "nonvoluntary_ctxt_switches:\t7");
        assertThat(ProcessStat.number(status, "VmRSS")).isEqualTo(1024);
        assertThat(ProcessStat.number(status, "VmHWM")).isEqualTo(2048);
        assertThat(ProcessStat.number(status, "voluntary_ctxt_switches")).isZero();
        assertThat(ProcessStat.number(status, "VmSwap")).isZero();
    }

    @Test
    void thisProcessHasUsedCpuAndMemory() {
        Account account = Account.of(List.of(ProcessHandle.current().pid()));
        assertThat(account.cpuMicros()).isPositive();
        assertThat(account.residentKiB()).isPositive().isLessThanOrEqualTo(account.peakKiB());
        assertThat(account.switches()).isPositive();
        assertThat(account.cpuMicrosSince(account)).isZero();
    }

    @Test
    void aProcessThatIsGoneHasNoAccount() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        assertThatThrownBy(() -> Account.of(List.of(gone.pid()))).hasMessageContaining("expected: a running process");
    }

    @Test
    void childrenAndWhatTheyStartedEndWithTheirOwner() throws IOException {
        Path log = scratch.resolve("child.log");
        Children.Child child;
        List<ProcessHandle> own;
        try (Children children = new Children()) {
            child = children.start(List.of("sh", "-c", "sleep 60 & echo $WHO; wait"), -1, Map.of("WHO", "me"), log);
            while (!child.tail(1).equals("me") || child.process().descendants().count() < 1) {
                Thread.onSpinWait();
            }
            own = child.process().descendants().toList();
            assertThat(Account.of(List.of(child.pid())).residentKiB())
                    .isGreaterThan(ProcessStat.number(Files.readAllLines(Path.of("/proc/" + child.pid() + "/status")), "VmRSS"));
        }
        assertThat(child.process().isAlive()).isFalse();
        assertThat(own).isNotEmpty();
        own.forEach(each -> each.onExit().join());
    }

    @Test
    void aChildRunsOnItsCoreUnderItsOwnPid() throws IOException {
        try (Children children = new Children()) {
            Children.Child pinned = children.start(List.of("sleep", "60"), 0, Map.of(), scratch.resolve("pinned"));
            Path process = Path.of("/proc/" + pinned.pid());
            while (!Files.readString(process.resolve("comm")).strip().equals("sleep")) {
                Thread.onSpinWait();
            }
            assertThat(Files.readAllLines(process.resolve("status"))).anyMatch(line -> line.matches("Cpus_allowed_list:\\s+0"));
        }
    }

    @Test
    void aProgramThatIsNotThereIsNamed() {
        try (Children children = new Children()) {
            assertThatThrownBy(() -> children.start(List.of("no-such-program"), -1, Map.of(), scratch.resolve("log")))
                    .hasMessageContaining("no-such-program: not started");
        }
    }

    @Test
    void nothingStartsAfterTheEnd() {
        Children children = new Children();
        children.close();
        assertThatThrownBy(() -> children.start(List.of("sleep", "1"), -1, Map.of(), scratch.resolve("log")))
                .hasMessageContaining("closed");
    }

    @Test
    void freePortsDifferAndCanBeBound() throws IOException {
        List<Integer> ports = Ports.free(20);
        assertThat(new HashSet<>(ports)).hasSize(20);
        try (ServerSocket socket = new ServerSocket(ports.get(0), 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.getLocalPort()).isEqualTo(ports.get(0));
        }
    }
}
