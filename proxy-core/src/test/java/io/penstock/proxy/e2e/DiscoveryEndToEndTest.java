package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.admin.EndpointRow;
import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Model servers come, go, die and return while requests run. */
class DiscoveryEndToEndTest {

    private static final String PICKER = RunningProxy.PICKER.formatted(4);
    private static final String PAGE = "vllm:num_requests_waiting 0\nvllm:num_requests_running 0\nvllm:kv_cache_usage_perc 0\n";

    private final ScriptedBackend one = ScriptedBackend.start();
    private final ScriptedBackend two = ScriptedBackend.start();

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    private static void endpoints(RunningProxy proxy, ScriptedBackend... backends) {
        assertThat(proxy.proxy.reload(RunningProxy.settings(RunningProxy.yaml(List.of(), list(backends), PICKER)))).isEmpty();
    }

    /** Each under a name of its own, which it keeps. */
    private static String list(ScriptedBackend... backends) {
        return Arrays.stream(backends).map(backend -> SocketBackend.endpoint("vllm-" + backend.port(), backend.port()))
                .collect(Collectors.joining(", ", "endpoints: [", "]\n"));
    }

    private static RunningProxy proxy(int loops, ScriptedBackend... backends) {
        return RunningProxy.start(loops, List.of(), list(backends), PICKER);
    }

    private static Script stream() {
        return Script.empty().streamHead().chunk("data: 1\n\n").hold("gate").chunk("data: 2\n\n").lastChunk();
    }

    @Test
    void startingBeforeTheBackendsIsNoFault() throws Exception {
        one.refuse();
        two.refuse();
        try (RunningProxy proxy = proxy(1, one, two); Http2RawClient client = proxy.http2()) {
            assertThat(proxy.admin("GET", "/ready").statusCode()).isEqualTo(200);
            for (int i = 0; i < 4; i++) {
                assertThat(client.response(Calls.post(client)).status()).isEqualTo(503);
            }
            one.listen();
            assertThat(client.response(Calls.post(client)).status()).as("at once, whatever their health").isEqualTo(200);
            one.refuse();
            one.resetConnections();
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(503);
            one.listen();
            two.listen();
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(200);
            proxy.awaitQuiet();
        }
    }

    @Test
    void requestsWaitForABackendWhoseMetricsAreNotThereYet() throws Exception {
        one.answerWhen(seen -> seen.uri().equals("/metrics"), Script.json(200, PAGE));
        one.refuse();
        String picker = "---\napiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nfeatureGates: [flowControl]\n";
        try (RunningProxy proxy = RunningProxy.start(1, List.of(one), "", picker); Http2RawClient client = proxy.http2()) {
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            one.listen();
            assertThat(client.response(waiting).status()).isEqualTo(200);
            proxy.awaitQuiet();
        }
    }

    @Test
    void metricsThatAreSwitchedOffAreNotReadAndNobodyIsTakenForIdle() throws Exception {
        one.answerWhen(seen -> seen.uri().equals("/metrics"), Script.json(200, PAGE));
        String picker = "---\napiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nfeatureGates: [flowControl]\n"
                + "dataLayer: {injectDefaults: false}\n";
        try (RunningProxy proxy = RunningProxy.start(1, List.of(one), "", picker); Http2RawClient client = proxy.http2()) {
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            Awaitility.await().during(Duration.ofMillis(200)).until(() -> proxy.proxy.bands().get(0).requests() == 1);
            assertThat(proxy.proxy.endpoints()).extracting(EndpointRow::lastScrapeAgeMs).containsOnlyNulls();
            client.reset(waiting, 8);
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aBackendThatLeavesFinishesItsStreamsAndGetsNoMore(int loops) throws Exception {
        one.answer(stream());
        try (RunningProxy proxy = proxy(loops, one); Http2RawClient http2 = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            List<Integer> streams = List.of(Calls.post(http2), Calls.post(http2));
            Calls.post(http1);
            one.awaitRunning(3);
            endpoints(proxy, two);
            for (int i = 0; i < 10; i++) {
                assertThat(http2.response(Calls.post(http2)).status()).isEqualTo(200);
            }
            assertThat(one.requests()).as("nothing new").hasSize(3);
            assertThat(two.requests()).hasSize(10);
            endpoints(proxy, two, one);
            assertThat(proxy.proxy.endpoints()).extracting(EndpointRow::inFlightRequests).as("true counts").contains(3);
            one.release("gate");
            for (int stream : streams) {
                Http2Response response = http2.response(stream);
                assertThat(response.complete()).isTrue();
                assertThat(response.text()).isEqualTo("data: 1\n\ndata: 2\n\n");
            }
            assertThat(http1.response().complete()).isTrue();
            proxy.awaitQuiet();
        }
    }

    @Test
    void idleConnectionsToABackendThatLeftAreClosed() throws Exception {
        try (RunningProxy proxy = proxy(1, one); Http2RawClient client = proxy.http2()) {
            int busy = Calls.post(client);
            assertThat(client.response(busy).status()).isEqualTo(200);
            one.answer(stream());
            int running = Calls.post(client);
            client.responseHeaders(running);
            endpoints(proxy, two);
            one.release("gate");
            assertThat(client.response(running).complete()).isTrue();
            one.awaitOpenConnections(0);
        }
    }

    // The endpoints file.

    private static final String FILE_PICKER = """
            ---
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            featureGates: [flowControl]
            plugins:
            - {type: concurrency-detector, parameters: {maxConcurrency: 4}}
            - {name: file, type: file-discovery, parameters: {path: "%s", watchFile: true}}
            dataLayer: {discovery: {pluginRef: file}}
            flowControl:
              saturationDetector: {pluginRef: concurrency-detector}
            """;

    private static String file(ScriptedBackend... backends) {
        StringBuilder text = new StringBuilder(backends.length == 0 ? "endpoints: []\n" : "endpoints:\n");
        for (ScriptedBackend backend : backends) {
            text.append("- {name: vllm-").append(backend.port()).append(", address: \"127.0.0.1\", port: \"").append(backend.port())
                    .append("\"}\n");
        }
        return text.toString();
    }

    private static void replace(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling("fresh");
        Files.writeString(fresh, text);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void awaitNames(RunningProxy proxy, ScriptedBackend... backends) {
        List<String> names = new ArrayList<>();
        for (ScriptedBackend backend : backends) {
            names.add("default/vllm-" + backend.port());
        }
        Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> proxy.proxy.endpoints().stream().map(EndpointRow::name).toList(),
                names::equals);
    }

    @Test
    void aWatchedFileMovesTheTraffic(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("endpoints.yaml");
        Files.writeString(file, file(one));
        try (RunningProxy proxy = RunningProxy.start(2, List.of(), "", FILE_PICKER.formatted(file));
                Http2RawClient client = proxy.http2()) {
            one.answerNext(stream());
            int running = Calls.post(client);
            client.responseHeaders(running);
            replace(file, file(two));
            awaitNames(proxy, two);
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(200);
            assertThat(two.requests()).hasSize(1);
            one.release("gate");
            assertThat(client.response(running).complete()).isTrue();

            replace(file, "endpoints: [{name: broken");
            replace(file, file(two, one));
            awaitNames(proxy, two, one);

            replace(file, file());
            awaitNames(proxy);
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            replace(file, file(one));
            assertThat(client.response(waiting).status()).as("the pool is not empty any more").isEqualTo(200);
            assertThat(one.requests()).hasSize(2);
            proxy.awaitQuiet();
        }
    }

    @Test
    void anEndpointThatComesAndGoesInTheEndIsThere() throws Exception {
        try (RunningProxy proxy = proxy(2, one); Http2RawClient client = proxy.http2()) {
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                streams.add(Calls.post(client));
                endpoints(proxy);
                endpoints(proxy, one);
            }
            for (int stream : streams) {
                assertThat(client.response(stream).status()).isEqualTo(200);
            }
            proxy.awaitQuiet();
            assertThat(one.requests()).hasSize(60);
        }
    }
}
