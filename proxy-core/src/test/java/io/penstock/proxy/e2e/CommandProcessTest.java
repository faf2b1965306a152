package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that start something, each as a process of its own (contract section 1). */
class CommandProcessTest {

    private static final Pattern BAND = Pattern.compile(" (\\w+) queued=(\\d+)/");

    @TempDir
    private Path directory;

    private Path write(String yaml) throws IOException {
        return Files.writeString(directory.resolve("penstock.yaml"), yaml);
    }

    @Test
    void theDemoFillsBandsShowsThemAndEndsByItself() {
        try (ChildProcess demo = ChildProcess.run("demo", "--for", "3s", "--port", "0", "--admin-port", "0", "--metrics-port", "0")) {
            assertThat(demo.exitCode()).as(() -> demo.err().all().toString()).isZero();
            List<String> printed = demo.out().all();
            assertThat(printed).anyMatch(line -> line.matches("proxy {4}http://127\\.0\\.0\\.1:[1-9]\\d*/v1/chat/completions"))
                    .anyMatch(line -> line.matches("admin {4}http://127\\.0\\.0\\.1:[1-9]\\d*/bands"))
                    .anyMatch(line -> line.matches("metrics {2}http://127\\.0\\.0\\.1:[1-9]\\d*/metrics"))
                    .anyMatch(line -> line.startsWith("Try:     curl "));
            List<String> seconds = printed.stream().filter(line -> line.matches("\\d+s  .*")).toList();
            assertThat(seconds).hasSizeGreaterThanOrEqualTo(3);
            assertThat(seconds.stream().flatMap(line -> BAND.matcher(line).results()).filter(found -> !found.group(2).equals("0"))
                    .map(found -> found.group(1)).distinct()).as("bands in which requests waited").hasSizeGreaterThanOrEqualTo(2);
            assertThat(demo.err().all()).as("lines that would break the table").isEmpty();
        }
    }

    @Test
    void theDemoNamesATakenPort() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String port = Integer.toString(taken.getLocalPort());
            try (ChildProcess demo = ChildProcess.run("demo", "--port", "0", "--admin-port", port, "--metrics-port", "0")) {
                assertThat(demo.exitCode()).isEqualTo(1);
                assertThat(demo.err().all()).containsExactly("demo: admin: 127.0.0.1:" + port + ": address already in use");
            }
        }
    }

    @Test
    void aSimulatedServerAnswersUntilItIsTold() {
        try (ChildProcess sim = ChildProcess.run("sim", "--model", "m", "--host", "127.0.0.1", "--port", "0")) {
            Matcher url = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)").matcher(sim.out().await("sim: model m on"));
            assertThat(url.find()).isTrue();
            try (Http1RawClient client = Http1RawClient.connect(Integer.parseInt(url.group(1)))) {
                String body = "{\"model\":\"m\",\"prompt\":\"a\",\"max_tokens\":1}";
                client.send("POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body);
                assertThat(client.response().status()).isEqualTo(200);
            }
            sim.terminate();
            sim.exitCode();
        }
    }

    @Test
    void aWrongConfigurationStartsNothing() throws Exception {
        Path file = write(RunningProxy.yaml(List.of(), "limits: {maxHeader: 5}\n", ""));
        try (ChildProcess serve = ChildProcess.run("serve", "--config-file", file.toString())) {
            assertThat(serve.exitCode()).isEqualTo(1);
            assertThat(serve.err().all()).singleElement().asString().matches(Pattern.quote(file + ":7:10: ") + ".*maxHeader.*");
        }
    }

    @Test
    void aChangedFileIsTakenOverWholeOrNotAtAll() throws Exception {
        try (ScriptedBackend backend = ScriptedBackend.start()) {
            String yaml = RunningProxy.yaml(List.of(backend), "", RunningProxy.PICKER.formatted(1));
            Path file = write(yaml);
            try (ChildProcess serve = ChildProcess.serve(file)) {
                assertThat(serve.admin("GET", "/bands").body()).doesNotContain("\"priority\":5,");
                write(yaml + RunningProxy.objective("premium", 5));
                serve.err().await("The changed configuration is in use");
                Awaitility.await().atMost(Duration.ofSeconds(10))
                        .until(() -> serve.admin("GET", "/bands").body().contains("\"priority\":5,"));

                write(yaml + RunningProxy.objective("premium", 6).replace("priority: 6", "priority: six"));
                serve.err().await("The changed configuration has 1 error(s) and is not used:");
                serve.err().await(Pattern.compile("ERROR .*penstock\\.yaml:\\d+:\\d+: .*six"));
                assertThat(serve.admin("GET", "/bands").body()).contains("\"priority\":5,").doesNotContain("\"priority\":6,");

                write(yaml.replace("[flowControl]", "[]") + RunningProxy.objective("premium", 7));
                serve.err().await("The changed configuration is not used, since a change of featureGates needs a restart");
                assertThat(serve.admin("GET", "/bands").body()).contains("\"priority\":5,").doesNotContain("\"priority\":7,");
                assertThat(serve.alive()).isTrue();
                serve.terminate();
                assertThat(serve.exitCode()).isZero();
            }
        }
    }

    @Test
    void theCompletionScriptIsPrinted() {
        try (ChildProcess completion = ChildProcess.run("generate-completion")) {
            assertThat(completion.exitCode()).isZero();
            assertThat(completion.out().all()).anyMatch(line -> line.contains("complete -F _complete_penstock"));
        }
    }

    @Test
    void aTakenPortLeavesNoOtherOpen() throws Exception {
        int open;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            open = free.getLocalPort();
        }
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Path file = write("""
                    apiVersion: penstock.io/v1alpha1
                    kind: ProxyConfig
                    listeners: [{name: one, address: "127.0.0.1:%d"}, {name: two, address: "127.0.0.1:%d"}]
                    admin: {address: "127.0.0.1:0"}
                    metrics: {address: "127.0.0.1:0"}
                    """.formatted(open, taken.getLocalPort()));
            try (ChildProcess serve = ChildProcess.run("serve", "--config-file", file.toString())) {
                assertThat(serve.exitCode()).isEqualTo(1);
                assertThat(serve.err().all()).containsExactly(
                        "listener two: 127.0.0.1:" + taken.getLocalPort() + ": address already in use");
            }
            assertThatThrownBy(() -> Http1RawClient.connect(open)).hasMessageContaining("no connection");
        }
    }
}
