package io.penstock.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands that end by themselves, run in this process (contract section 1). */
class CommandLineTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = ProxyMain.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    private String write(String name, String yaml) throws IOException {
        return Files.writeString(directory.resolve(name), yaml).toString();
    }

    @Test
    void namesAreNotRememberedForLong() {
        ProxyMain.cacheNamesBriefly();
        assertThat(Security.getProperty("networkaddress.cache.ttl")).isEqualTo("1");
        assertThat(Security.getProperty("networkaddress.cache.negative.ttl")).isEqualTo("1");
    }

    @Test
    void aGoodConfigurationHasNoProblems() throws Exception {
        String file = write("good.yaml", "apiVersion: penstock.io/v1alpha1\nkind: ProxyConfig\n");
        assertThat(run("validate", "--config-file", file)).isZero();
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void validatePrintsAllProblemsOfAllFilesWithTheirPlace() throws Exception {
        String proxy = write("proxy.yaml", """
                apiVersion: penstock.io/v1alpha1
                kind: ProxyConfig
                listners: []
                timeouts: {request: 5x}
                """);
        String picker = write("picker.yaml", """
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                featureGates: [flowContrl]
                """);
        assertThat(run("validate", "--config-file", proxy, "--config-file", picker)).isEqualTo(1);
        assertThat(out.toString().lines()).hasSize(3)
                .anySatisfy(line -> assertThat(line).startsWith(proxy + ":3:1: ").contains("listners").contains("listeners"))
                .anySatisfy(line -> assertThat(line).startsWith(proxy + ":4:21: ").contains("5x"))
                .anySatisfy(line -> assertThat(line).startsWith(picker + ":3:16: ").contains("flowContrl").contains("flowControl"));
        assertThat(err.toString().trim()).isEqualTo("3 error(s)");
    }

    @Test
    void aFileThatIsNotThereIsAProblem() {
        String file = directory.resolve("missing.yaml").toString();
        assertThat(run("validate", "--config-file", file)).isEqualTo(1);
        assertThat(out.toString()).startsWith(file + ":1:1: ");
        assertThat(run("serve", "--config-file", file)).isEqualTo(1);
        assertThat(err.toString()).contains(file + ":1:1: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "surve", "serve --no-such", "serve --drain-timeout 5", "serve --drain-timeout -1s", "serve --concurrency 0",
        "serve --concurrency many", "serve --metrics-port 70000", "serve --config-text a --config-file b",
        "validate --config-text a --config-file b", "demo --backends 0", "demo --for -1s", "demo --port 70000",
        "sim --model m --port 70000", "sim"})
    void aWrongCommandLineIsAUsageError(String line) {
        assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).as(() -> out + "|" + err).isEqualTo(2);
        assertThat(err.toString()).containsAnyOf("See 'penstock", "Did you mean: penstock");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void versionAndHelpGoToStandardOutput() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString().lines().toList()).first().asString().startsWith("penstock ");
        for (List<String> help : List.of(List.of("--help"), List.of("serve", "--help"), List.of("validate", "-h"),
                List.of("demo", "--help"), List.of("sim", "--help"))) {
            out.getBuffer().setLength(0);
            assertThat(run(help.toArray(String[]::new))).isZero();
            assertThat(out.toString()).startsWith("Usage: penstock").contains("--help");
        }
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"listener plain", "admin", "metrics"})
    void aTakenPortIsNamed(String which) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String yaml = """
                    apiVersion: penstock.io/v1alpha1
                    kind: ProxyConfig
                    listeners: [{name: plain, address: "127.0.0.1:%d"}]
                    admin: {address: "127.0.0.1:%d"}
                    metrics: {address: "127.0.0.1:%d"}
                    """.formatted(Stream.of("listener plain", "admin", "metrics")
                    .map(port -> port.equals(which) ? taken.getLocalPort() : 0).toArray());
            assertThat(run("serve", "--concurrency", "2", "--config-text", yaml)).isEqualTo(1);
            assertThat(err.toString().trim()).isEqualTo(which + ": 127.0.0.1:" + taken.getLocalPort() + ": address already in use");
        }
    }
}
