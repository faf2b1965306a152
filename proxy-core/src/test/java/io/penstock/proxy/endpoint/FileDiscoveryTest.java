package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.penstock.flow.PoolView;
import io.penstock.flow.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileDiscoveryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final EndpointPool pool = new EndpointPool(new ManualClock());
    @TempDir
    private Path directory;
    private Path file = Path.of("");
    private FileDiscovery discovery;

    @BeforeEach
    void file() {
        file = directory.resolve("endpoints.yaml");
    }

    @AfterEach
    void close() {
        if (discovery != null) {
            discovery.close();
        }
    }

    @Test
    void aFileOfTheUsualShapeFillsThePool() throws Exception {
        write("""
                endpoints:
                - {name: gpu-a, namespace: lab, address: "10.1.0.11", port: "8000", weight: 3,
                   labels: {llm-d.ai/role: decode, llm-d.ai/engine-type: sglang}}
                - name: gpu-b
                  address: 2001:db8::1
                  port: '65535'
                  labels: null
                comment: ignored
                """);
        start(false);
        assertThat(pool.members()).extracting(Endpoint::name).containsExactly("lab/gpu-a", "default/gpu-b");
        assertThat(pool.members()).extracting(e -> e.spec().authority()).containsExactly("10.1.0.11:8000", "[2001:db8::1]:65535");
        assertThat(pool.find("lab/gpu-a").spec().role()).isEqualTo("decode");
        assertThat(pool.synced()).isTrue();
    }

    @Test
    void jsonIsAccepted() throws Exception {
        write("{\"endpoints\": [{\"name\": \"a\", \"address\": \"127.0.0.1\", \"port\": \"8000\", \"labels\": {\"k\": \"v\"}}]}");
        start(false);
        assertThat(pool.find("default/a").spec().labels()).containsEntry("k", "v");
    }

    @Test
    void anEmptyListMustBeWritten() throws Exception {
        write("endpoints: []\n");
        start(false);
        assertThat(pool.synced()).isTrue();
        assertThat(pool.get().isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "# nothing\n", "---\n", "null\n", "endpoints:\n", "{}\n", "endpoint: []\n", "[]\n", "text\n",
        "endpoints: {}\n", "endpoints: []\n---\nendpoints: []\n", "endpoints: [\n", "endpoints: []\nendpoints: []\n"})
    void anythingElseThatHasNoEndpointsIsRefused(String text) throws Exception {
        write(text);
        assertThatThrownBy(() -> start(false)).isInstanceOf(DiscoveryException.class);
        assertThat(pool.synced()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{name: a, address: 127.0.0.1, port: 8000} | 2:39: port: 8000 (expected: a string; quote it)",
        "{name: a, address: 127.0.0.1, port: '0'} | 2:39: port: \"0\" (expected: \"1\"..\"65535\")",
        "{name: a, address: 127.0.0.1, port: '65536'} | 2:39: port: \"65536\" (expected: \"1\"..\"65535\")",
        "{name: a, address: 127.0.0.1, port: '+80'} | 2:39: port: \"+80\" (expected: \"1\"..\"65535\")",
        "{name: a, address: 127.0.0.1, port: ''} | 2:39: port: \"\" (expected: a non-empty string)",
        "{name: a, address: 127.0.0.1} | 2:3: port: missing (expected: a non-empty string)",
        "{name: a, address: vllm-0, port: '80'} | 2:22: address: \"vllm-0\" (expected: a literal IPv4 or IPv6 address)",
        "{name: a, address: 127.1, port: '80'} | 2:22: address: 127.1 (expected: a string; quote it)",
        "{name: a, address: '[::1]', port: '80'} | 2:22: address: \"[::1]\" (expected: a literal IPv4 or IPv6 address)",
        "{address: 127.0.0.1, port: '80'} | 2:3: name: missing (expected: a non-empty string)",
        "{name: 7, address: 127.0.0.1, port: '80'} | 2:10: name: 7 (expected: a string; quote it)",
        "{name: yes, address: 127.0.0.1, port: '80'} | 2:10: name: yes (expected: a string; quote it)",
        "{name: a, address: 127.0.0.1, port: '80', labels: {x: true}} | 2:57: labels.x: true (expected: a string; quote it)",
        "{name: a, address: 127.0.0.1, port: '80', labels: [x]} | 2:53: labels: a list (expected: a mapping)",
        "{name: a, name: b, address: 127.0.0.1, port: '80'} | 2:13: name: twice (expected: once)",
        "gpu-a | 2:3: endpoint: gpu-a (expected: a mapping)"})
    void aBadEntryIsNamedByItsPlace(String entry, String problem) throws Exception {
        write("endpoints:\n- " + entry + "\n");
        DiscoveryException refused = catchThrowableOfType(DiscoveryException.class, () -> start(false));
        assertThat(refused.problems()).containsExactly(file + ":" + problem);
    }

    @Test
    void allProblemsAreToldAtOnceAndAnIdentityThatIsThereTwiceIsOne() throws Exception {
        write("""
                endpoints:
                - {name: a, address: 10.0.0.1, port: "1"}
                - {name: b, address: nowhere, port: 5}
                - {name: a, address: 10.0.0.2, port: "1"}
                """);
        DiscoveryException refused = catchThrowableOfType(DiscoveryException.class, () -> start(false));
        assertThat(refused.problems()).hasSize(3);
        assertThat(refused.problems().get(2))
                .isEqualTo(file + ":4:3: endpoints: default/a twice (expected: one entry a name; the other is at 2:3)");
    }

    @Test
    void aFileThatIsMissingTooLargeNotTextOrTooDeepEndsTheStart() throws Exception {
        assertThatThrownBy(() -> start(true)).isInstanceOf(DiscoveryException.class).hasMessageContaining("no such file");
        write("#" + "x".repeat(EndpointFile.MAX_BYTES));
        assertThatThrownBy(() -> start(false)).hasMessageContaining("expected: 1 MiB at most");
        Files.write(file, new byte[] {(byte) 0xC3, 0x28});
        assertThatThrownBy(() -> start(false)).hasMessageContaining("not UTF-8");
        write("endpoints: " + "[".repeat(200_000));
        assertThatThrownBy(() -> start(false)).isInstanceOf(DiscoveryException.class);
    }

    @Test
    void aBadFileLeavesTheLastGoodListWhole() throws Exception {
        write(list("a", "b"));
        start(false);
        PoolView view = pool.get();
        write("endpoints:\n- {name: a, address: 127.0.0.1, port: \"9\"}\n- {name: b, address: 127.0.0.1, port: 8000}\n");
        discovery.reload();
        write("");
        discovery.reload();
        Files.delete(file);
        discovery.reload();
        Files.createDirectory(file);
        discovery.reload();
        assertThat(pool.get()).as("nor one that cannot be read").isSameAs(view);
        Files.delete(file);
        write(list("b"));
        discovery.reload();
        assertThat(pool.members()).extracting(Endpoint::name).containsExactly("default/b");
    }

    @Test
    void aRenameOverTheFileIsSeen() throws Exception {
        write(list("a"));
        start(true);
        for (String name : List.of("b", "c")) {
            Path next = directory.resolve("next");
            Files.writeString(next, list(name));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            awaitMembers("default/" + name);
        }
    }

    @Test
    void aSwapOfTheDirectoryBehindALinkIsSeen() throws Exception {
        Path first = Files.createDirectory(directory.resolve("..1"));
        Path second = Files.createDirectory(directory.resolve("..2"));
        Files.writeString(first.resolve("endpoints.yaml"), list("a"));
        Files.writeString(second.resolve("endpoints.yaml"), list("a", "b"));
        Files.createSymbolicLink(directory.resolve("..data"), first);
        Files.createSymbolicLink(file, Path.of("..data", "endpoints.yaml"));
        start(true);
        Files.createSymbolicLink(directory.resolve("..tmp"), second);
        Files.move(directory.resolve("..tmp"), directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        awaitMembers("default/a", "default/b");
    }

    @Test
    void aFileWrittenInTwoHalvesIsNeverSeenByHalf() throws Exception {
        write(list("a", "b", "c", "d"));
        start(true);
        CountDownLatch shrunk = new CountDownLatch(1);
        pool.listen(change -> {
            if (change.view().endpoints().size() < 4) {
                shrunk.countDown();
            }
        });
        String whole = list("a", "b", "c", "e");
        int half = whole.indexOf("- {name: c");
        write(whole.substring(0, half));
        // The pause between the halves: nothing may happen in it.
        assertThat(shrunk.await(200, TimeUnit.MILLISECONDS)).isFalse();
        write(whole);
        awaitMembers("default/a", "default/b", "default/c", "default/e");
        assertThat(shrunk.getCount()).isEqualTo(1);
    }

    @Test
    void aFileThatIsDeletedAndMadeAnewIsSeen() throws Exception {
        write(list("a"));
        start(true);
        Files.delete(file);
        write(list("b"));
        awaitMembers("default/b");
    }

    private void awaitMembers(String... names) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(pool.members()).extracting(Endpoint::name).containsExactly(names));
    }

    private void start(boolean watch) throws DiscoveryException {
        discovery = FileDiscovery.start(file, watch, pool);
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    private static String list(String... names) {
        StringBuilder text = new StringBuilder("endpoints:\n");
        for (String name : names) {
            text.append("- {name: ").append(name).append(", address: 127.0.0.1, port: \"8000\"}\n");
        }
        return text.toString();
    }
}
