package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.config.ProxyConfig.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProxyReaderTest {

    @TempDir
    Path dir;

    @Test
    void everyKeyIsRead() throws Exception {
        for (String pem : List.of("server.pem", "server.key", "clients.pem")) {
            Files.writeString(dir.resolve(pem), pem);
        }
        Path file = Files.writeString(dir.resolve("proxy.yaml"), """
                apiVersion: penstock.io/v1alpha1
                kind: ProxyConfig
                listeners:
                - {name: plain, address: "0.0.0.0:8080"}
                - name: tls
                  address: "[::1]:8443"
                  tls: {certificate: server.pem, privateKey: server.key, clientCa: clients.pem, minVersion: TLSv1.3}
                admin: {address: "127.0.0.1:9902"}
                metrics: {address: "0.0.0.0:9091"}
                endpoints:
                - {name: vllm-0, address: "127.0.0.1:8000", labels: {llm-d.ai/role: decode}}
                - {address: "vllm.example:8000"}
                upstream: {protocol: http1, connectTimeout: 1s, idleTimeout: 3s, maxConnectionsPerEndpoint: 1k}
                timeouts: {responseHeaders: 10m, streamIdle: 1m, writeStall: 2s500ms, request: 1h}
                limits: {maxRequestBodyBytes: 1Gi, maxBufferedBodyBytes: 2Gi, maxHeaderBytes: 8Ki, maxHeaders: 50, maxConcurrentStreams: 10,
                  maxConnections: 10}
                drain: {grace: 1s, timeout: 2s}
                accessLog: {path: logs/access.json, format: json}
                compat: {headroomShortName: true, legacyMetricNames: false}
                """);
        LoadResult result = ConfigLoader.load(List.of(Source.file(file)), LoadOptions.none());
        assertThat(Loading.lines(result)).isEmpty();
        assertThat(Loading.settings(result).proxy()).isEqualTo(new ProxyConfig(
                List.of(new ProxyConfig.Listener("plain", new HostPort("0.0.0.0", 8080), null),
                        new ProxyConfig.Listener("tls", new HostPort("::1", 8443), new ProxyConfig.Tls(dir.resolve("server.pem"),
                                dir.resolve("server.key"), dir.resolve("clients.pem"), "TLSv1.3"))),
                new HostPort("127.0.0.1", 9902), new HostPort("0.0.0.0", 9091),
                List.of(new ProxyConfig.StaticEndpoint("vllm-0", new HostPort("127.0.0.1", 8000), Map.of("llm-d.ai/role", "decode")),
                        new ProxyConfig.StaticEndpoint("endpoint-1", new HostPort("vllm.example", 8000), Map.of())),
                new ProxyConfig.Upstream("http1", Duration.ofSeconds(1), Duration.ofSeconds(3), 1000),
                new ProxyConfig.Timeouts(Duration.ofMinutes(10), Duration.ofMinutes(1), Duration.ofMillis(2500), Duration.ofHours(1)),
                new ProxyConfig.Limits(1L << 30, 1L << 31, 8 << 10, 50, 10, 10),
                new ProxyConfig.Drain(Duration.ofSeconds(1), Duration.ofSeconds(2)),
                new ProxyConfig.AccessLog(dir.resolve("logs/access.json").toString(), "json"), new ProxyConfig.Compat(true, false)));
    }

    @Test
    void anEmptyDocumentOrPartMeansTheDefaults() {
        assertThat(Loading.good(Loading.PROXY + "upstream: {}\ntimeouts:\nlimits: {maxHeaders: null}\naccessLog: {}\n").proxy())
                .isEqualTo(ProxyConfig.defaults());
    }

    @Test
    void offAsAnAccessLogIsTheWordNotABoolean() {
        assertThat(Loading.good(Loading.PROXY + "accessLog: {path: off}").proxy().accessLog().path()).isEqualTo("off");
    }

    @Test
    void aRoleThatIsNoneIsAWarning() {
        assertThat(Loading.lines(Loading.PROXY + """
                endpoints:
                - {address: "127.0.0.1:8000", labels: {llm-d.ai/role: prefil}}
                - {address: "127.0.0.1:8001", labels: {llm-d.ai/role: encode}}
                - {address: "127.0.0.1:8002", labels: {llm-d.ai/role: ""}}
                """)).containsExactly("c:4:55: warning: endpoints[0].labels.llm-d.ai/role: prefil: no such role, so the endpoint serves"
                        + " no stage (did you mean prefill?)");
    }

    @Test
    void aFlagWinsOverTheDocument() {
        LoadOptions flags = new LoadOptions(null, null, false, 9191, Duration.ofMillis(100), LoadOptions.DEFAULT_STALENESS,
                Duration.ofSeconds(9));
        Settings settings = Loading.settings(Loading.load(Loading.PROXY + "metrics: {address: \"127.0.0.1:9092\"}\n", flags));
        assertThat(settings.proxy().metrics()).isEqualTo(new HostPort("127.0.0.1", 9191));
        assertThat(settings.proxy().drain().timeout()).hasSeconds(9);
        assertThat(settings.picker().metrics().interval()).hasMillis(100);
        assertThat(Loading.settings(Loading.load("", flags)).proxy().metrics()).isEqualTo(new HostPort("0.0.0.0", 9191));
    }

    @Test
    void anUnreadableKeyFileIsNamed() throws Exception {
        Path folder = Files.createDirectory(dir.resolve("key"));
        String tls = "{certificate: " + folder + ", privateKey: \"a\\0b\"}";
        int afterFolder = 49 + folder.toString().length() + ", privateKey: ".length();
        assertThat(Loading.lines(Loading.PROXY + "listeners: [{address: \"h:1\", tls: " + tls + "}]")).containsExactly(
                "c:3:49: listeners[0].tls.certificate: " + folder + " (expected: a file that can be read)",
                "c:3:" + afterFolder + ": listeners[0].tls.privateKey: \"a\\u0000b\" (expected: a path)");
    }
}
