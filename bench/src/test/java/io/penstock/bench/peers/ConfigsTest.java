package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.bench.load.Protocol;
import io.penstock.proxy.ProxyMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each configuration is read by the program that it is for, where that is installed. */
class ConfigsTest {

    private static final List<Integer> BACKENDS = List.of(19001, 19002);

    private final Tools tools = Tools.ofThisMachine();
    @TempDir
    private Path scratch;

    private static String installed(Optional<Path> program) {
        assumeTrue(program.isPresent(), "NOT RUN: A PEER THAT WOULD READ ITS CONFIGURATION IS NOT INSTALLED");
        return program.orElseThrow().toString();
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(scratch.resolve(name), text).toString();
    }

    private static void accepted(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(out).isZero();
        // A newer program calls old what the older one that is common needs.
        assertThat(out.lines().filter(line -> !line.contains("deprecated")).map(line -> line.toLowerCase(Locale.ROOT)))
                .noneMatch(line -> line.contains("warn"));
    }

    @ParameterizedTest
    @EnumSource
    void haproxyAcceptsItsOwn(Protocol out) throws Exception {
        String haproxy = installed(tools.onPath("haproxy"));
        accepted(List.of(haproxy, "-c", "-f", file("haproxy.cfg", PeerConfigs.haproxy(out, 19100, BACKENDS))));
    }

    @Test
    void nginxAcceptsItsOwn() throws Exception {
        String nginx = installed(tools.onPath("nginx"));
        accepted(List.of(nginx, "-t", "-q", "-c", file("nginx.conf", PeerConfigs.nginx(scratch, 19100, BACKENDS))));
    }

    @ParameterizedTest
    @EnumSource
    void envoyAcceptsItsOwn(Protocol out) throws Exception {
        String envoy = installed(tools.envoy());
        accepted(List.of(envoy, "--mode", "validate", "-l", "warn", "-c", file("envoy.yaml", PeerConfigs.envoy(out, 19100, BACKENDS))));
    }

    /** The other modes are started by the test of a whole run. */
    @Test
    void penstockAcceptsItsOwn() throws Exception {
        String text = PenstockConfig.text(Flow.OFF, Protocol.HTTP1, 19100, 19101, 19102, BACKENDS);
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        accepted(List.of(java.toString(), "-cp", System.getProperty("java.class.path"), ProxyMain.class.getName(), "validate",
                "--config-file", file("penstock.yaml", text)));
    }

    @Test
    void everyConfigurationNamesBothBackendsAndItsPort() {
        for (Protocol out : Protocol.values()) {
            assertThat(PeerConfigs.haproxy(out, 19100, BACKENDS)).contains("127.0.0.1:19001", "127.0.0.1:19002")
                    .contains("127.0.0.1:19100 proto h2");
            assertThat(PeerConfigs.envoy(out, 19100, BACKENDS)).contains("19001", "19002", "19100");
            assertThat(PenstockConfig.text(Flow.ON, out, 19100, 19101, 19102, BACKENDS)).contains("19001", "19002", "19100", "19101");
        }
        assertThat(PeerConfigs.nginx(scratch, 19100, BACKENDS)).contains("19001", "19002", "127.0.0.1:19100 http2");
    }

    @Test
    void h2cTowardsBackendsIsSaidInEachLanguage() {
        assertThat(PeerConfigs.haproxy(Protocol.H2C, 1, BACKENDS)).contains("19001 proto h2");
        assertThat(PeerConfigs.haproxy(Protocol.HTTP1, 1, BACKENDS)).doesNotContain("19001 proto h2");
        assertThat(PeerConfigs.envoy(Protocol.H2C, 1, BACKENDS)).contains("http2_protocol_options");
        assertThat(PeerConfigs.envoy(Protocol.HTTP1, 1, BACKENDS)).doesNotContain("http2_protocol_options");
        assertThat(PenstockConfig.text(Flow.ON, Protocol.H2C, 1, 2, 3, BACKENDS))
                .contains("upstream: {protocol: h2c, connectTimeout: 10s}");
    }

    @Test
    void theThreeRowsOfFlowControlDiffer() {
        String on = PenstockConfig.text(Flow.ON, Protocol.HTTP1, 1, 2, 3, BACKENDS);
        assertThat(on).contains("maxConcurrency: " + PenstockConfig.OPEN_LIMIT).contains("priority: 10", "priority: 0", "priority: -10");
        assertThat(PenstockConfig.text(Flow.GATED, Protocol.HTTP1, 1, 2, 3, BACKENDS)).contains("maxConcurrency: 16");
        assertThat(PenstockConfig.text(Flow.OFF, Protocol.HTTP1, 1, 2, 3, BACKENDS)).doesNotContain("flowControl");
        int offered = Scenario.CLOSED_32X32.connections() * Scenario.CLOSED_32X32.amount();
        assertThat(PenstockConfig.OPEN_LIMIT).isGreaterThan(offered).isGreaterThan(Scenario.SSE_1000.amount());
        assertThat(2 * PenstockConfig.GATED_LIMIT).isLessThan(Scenario.CLOSED_8X16.connections() * Scenario.CLOSED_8X16.amount());
    }

    @Test
    void theUsersOwnFileGetsOurPorts() {
        assertThat(PeerConfigs.filled("{port} {picker} {backend0} {backend1} {other}", 1, 2, BACKENDS))
                .isEqualTo("1 2 19001 19002 {other}");
    }
}
