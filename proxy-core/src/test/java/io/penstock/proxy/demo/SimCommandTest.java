package io.penstock.proxy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class SimCommandTest {

    private static SimOptions parse(String... args) {
        SimFlags flags = new SimFlags();
        CommandLine.populateCommand(flags, args);
        return flags.options();
    }

    @Test
    void flagsKeepTheirNamesAndDefaults() {
        assertThat(parse("--model", "m", "--enable-request-id-headers=false")).isEqualTo(SimOptions.of("m"));
        SimOptions set = parse("--model", "m", "--served-model-name", "a,b", "--mode", "echo", "--max-num-seqs", "2",
                "--max-waiting-queue-length", "0", "--max-model-len", "99", "--time-to-first-token", "200ms", "--inter-token-latency", "20",
                "--inter-token-latency-std-dev", "5ms", "--failure-injection-rate", "10", "--failure-types", "rate_limit,server_error",
                "--startup-duration", "1s", "--seed", "7", "--enable-request-id-headers");
        assertThat(set.servedNames()).containsExactly("a", "b");
        assertThat(set.mode()).isEqualTo(SimOptions.Mode.ECHO);
        assertThat(set.latency().timeToFirstToken()).isEqualTo(Duration.ofMillis(200));
        assertThat(set.latency().interTokenLatency()).isEqualTo(Duration.ofMillis(20));
        assertThat(set.failures()).isEqualTo(new SimFailures(10, List.of(SimFailures.Type.RATE_LIMIT, SimFailures.Type.SERVER_ERROR)));
        assertThat(set.requestIds()).isTrue();
        assertThat(set.seed()).hasValue(7);
    }

    @Test
    void wrongValuesAreNamed() {
        assertThatThrownBy(() -> parse("--model", "m", "--max-num-seqs", "0")).hasMessage("max-num-seqs: 0 (expected: 1 or more)");
        assertThatThrownBy(() -> parse("--model", "m", "--mode", "loud")).hasMessage("mode: loud (expected: random or echo)");
        assertThatThrownBy(() -> parse("--model", "m", "--failure-injection-rate", "101")).hasMessageContaining("0..100");
        assertThatThrownBy(() -> parse("--model", "m", "--inter-token-latency", "10ms", "--inter-token-latency-std-dev", "4ms"))
                .hasMessageContaining("at most 30 %");
        assertThatThrownBy(() -> FakeMetrics.parse("{\"loras\":1}")).hasMessageContaining("loras");
        assertThatThrownBy(() -> FakeMetrics.parse("{\"kv-cache-usage\":2}")).hasMessageContaining("0 to 1");
        assertThatThrownBy(() -> FakeMetrics.parse("{")).isInstanceOf(IllegalArgumentException.class);
        assertThat(FakeMetrics.parse("{\"running-requests\":3,\"kv-cache-usage\":0.5}")).isEqualTo(new FakeMetrics(3, 0, 0.5));
        assertThat(new CommandLine(new SimCommand()).setErr(new PrintWriter(new StringWriter()))
                .execute("--model", "m", "--max-model-len", "0"))
                .isEqualTo(2);
    }

    @Test
    void theCommandRunsUntilItIsStopped() throws Exception {
        SimCommand command = new SimCommand();
        StringWriter out = new StringWriter();
        CommandLine line = new CommandLine(command).setOut(new PrintWriter(out));
        CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(
                () -> line.execute("--model", "m", "--port", "0", "--host", "127.0.0.1"),
                task -> new Thread(task).start());
        await().until(() -> out.toString().contains("http://127.0.0.1:"));
        int port = Integer.parseInt(out.toString().trim().replaceAll(".*:", ""));
        assertThat(WireClient.get(port, "/health").status()).isEqualTo(200);

        command.stop();

        assertThat(exit.get()).isZero();
    }

    @Test
    void theModelIsRequired() {
        assertThat(new CommandLine(new SimCommand()).setErr(new PrintWriter(new StringWriter())).execute("--port", "0")).isEqualTo(2);
    }

    @Test
    void aTakenPortGivesOneAndSaysWhich() {
        try (SimServer first = SimServer.start(SimOptions.of("m"), "127.0.0.1", 0)) {
            StringWriter err = new StringWriter();
            int exit = new CommandLine(new SimCommand()).setErr(new PrintWriter(err))
                    .execute("--model", "m", "--host", "127.0.0.1", "--port", Integer.toString(first.port()));
            assertThat(exit).isOne();
            assertThat(err.toString()).contains("127.0.0.1:" + first.port()).contains("in use");
        }
    }
}
