package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is dispatched when, over one and several event loops: order, limits and the gate. */
class FlowEndToEndTest {

    private static final String OBJECTIVE = "x-llm-d-inference-objective";
    private static final String IDLE_PAGE = page(0, 0.1);

    private final ScriptedBackend backend = ScriptedBackend.start();
    private final List<Http2RawClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(int loops, String documents) {
        RunningProxy proxy = RunningProxy.start(loops, List.of(backend), "", documents);
        for (int i = 0; i < 8; i++) {
            try {
                clients.add(proxy.http2());
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        }
        return proxy;
    }

    private static String page(int waiting, double kvCache) {
        return "vllm:num_requests_waiting " + waiting + "\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc " + kvCache + '\n';
    }

    private void metrics(String page) {
        backend.answerWhen(seen -> seen.uri().equals("/metrics"), Script.json(200, page));
    }

    private List<String> order() {
        return backend.requests().stream().map(seen -> String.valueOf(seen.header("x-number"))).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aHigherBandGoesFirst(int loops) throws Exception {
        String picker = RunningProxy.PICKER.formatted(1) + RunningProxy.objective("high", 10) + RunningProxy.objective("low", -5);
        try (RunningProxy proxy = proxy(loops, picker)) {
            Awaitility.await().until(() -> proxy.proxy.bands().size() == 3);
            backend.hold();
            Calls.post(clients.get(0), "x-number", "first");
            backend.awaitRunning(1);
            for (int i = 0; i < 4; i++) {
                Calls.post(clients.get(i), "x-number", "low", OBJECTIVE, "low");
                Calls.post(clients.get(i + 4), "x-number", "middle");
                Calls.post(clients.get(7 - i), "x-number", "high", OBJECTIVE, "high");
            }
            for (int priority : new int[] {10, 0, -5}) {
                proxy.awaitWaiting(priority, 4);
            }
            backend.release();
            proxy.awaitQuiet();
            assertThat(order()).containsExactly("first", "high", "high", "high", "high", "middle", "middle", "middle", "middle",
                    "low", "low", "low", "low");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void insideABandTheOrderIsThatOfArrival(int loops) throws Exception {
        try (RunningProxy proxy = proxy(loops, RunningProxy.PICKER.formatted(1))) {
            backend.hold();
            Calls.post(clients.get(0), "x-number", "0");
            backend.awaitRunning(1);
            for (int i = 1; i <= 150; i++) {
                Calls.post(clients.get(i % 8), "x-number", Integer.toString(i));
                proxy.awaitWaiting(0, i);
            }
            backend.release();
            proxy.awaitQuiet();
            assertThat(order()).isEqualTo(IntStream.rangeClosed(0, 150).mapToObj(Integer::toString).toList());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aBurstNeverRunsMoreThanTheLimitAndIsNeverRefused(int loops) throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        SocketBackend.Work work = connection -> {
            while (connection.head() != null) {
                if (connection.in().readNBytes(2).length < 2) {
                    // A scrape has no body: the proxy gave it up.
                    return;
                }
                peak.accumulateAndGet(running.incrementAndGet(), Math::max);
                LockSupport.parkNanos(200_000);
                running.decrementAndGet();
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            }
        };
        try (SocketBackend one = SocketBackend.start(work); SocketBackend two = SocketBackend.start(work)) {
            String endpoints = "endpoints: [" + SocketBackend.endpoint("one", one.port()) + ", " + SocketBackend.endpoint("two", two.port())
                    + "]\n";
            for (int limit = 1; limit <= 4; limit += 3) {
                peak.set(0);
                try (RunningProxy proxy = RunningProxy.start(loops, List.of(), endpoints, RunningProxy.PICKER.formatted(limit))) {
                    assertThat(burst(proxy, 8, 60)).containsOnly(200);
                    proxy.awaitQuiet();
                }
                assertThat(peak.get()).as("limit %d on two endpoints", limit).isBetween(1, 2 * limit);
            }
        }
    }

    private static List<Integer> burst(RunningProxy proxy, int connections, int each) throws Exception {
        List<Http2RawClient> all = new ArrayList<>();
        List<Integer> streams = new ArrayList<>();
        List<Integer> statuses = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                all.add(proxy.http2());
            }
            for (int i = 0; i < connections * each; i++) {
                streams.add(Calls.post(all.get(i % connections)));
            }
            for (int i = 0; i < connections * each; i++) {
                statuses.add(all.get(i % connections).response(streams.get(i)).status());
            }
        } finally {
            all.forEach(Http2RawClient::close);
        }
        return statuses;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aFullBandTakesExactlyItsCapacity(int loops) throws Exception {
        try (RunningProxy proxy = proxy(loops, RunningProxy.PICKER.formatted(1) + "  priorityBands: [{priority: 0, maxRequests: 50}]\n")) {
            backend.hold();
            for (int round = 0; round < 5; round++) {
                int first = Calls.post(clients.get(0));
                backend.awaitRunning(1);
                List<Integer> streams = new ArrayList<>();
                for (int i = 0; i < 120; i++) {
                    streams.add(Calls.post(clients.get(i % 8)));
                }
                double refused = 70.0 * (round + 1);
                Awaitility.await().until(() -> proxy.band(0).requests() == 50 && proxy.band(0).rejectedTotal() == refused);
                backend.release();
                assertThat(clients.get(0).response(first).status()).isEqualTo(200);
                List<Integer> statuses = new ArrayList<>();
                for (int i = 0; i < 120; i++) {
                    statuses.add(clients.get(i % 8).response(streams.get(i)).status());
                }
                assertThat(statuses).filteredOn(status -> status == 429).hasSize(70);
                assertThat(statuses).filteredOn(status -> status == 200).hasSize(50);
                proxy.awaitQuiet();
                backend.hold();
            }
        }
    }

    @Test
    void requestsThatFindNoConnectionLeftWaitForOne() throws Exception {
        String upstream = "upstream: {maxConnectionsPerEndpoint: 2}\n";
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), upstream, RunningProxy.PICKER.formatted(100));
                Http2RawClient http2 = proxy.http2()) {
            backend.hold();
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                streams.add(Calls.post(http2));
            }
            proxy.awaitWaiting(0, 22);
            backend.release();
            for (int stream : streams) {
                assertThat(http2.response(stream).status()).isEqualTo(200);
            }
            proxy.awaitQuiet();
        }
    }

    @Test
    void silentRequestsKeepTheirCount() throws Exception {
        backend.answer(Script.empty().streamHead().hold("gate").chunk("late").lastChunk());
        try (RunningProxy proxy = proxy(4, RunningProxy.PICKER.formatted(10))) {
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                streams.add(Calls.post(clients.get(i % 8)));
            }
            backend.awaitRunning(10);
            proxy.awaitWaiting(0, 20);
            Awaitility.await().during(Duration.ofMillis(1200)).atMost(Duration.ofSeconds(5)).pollInterval(Duration.ofMillis(20))
                    .until(() -> backend.running() == 10 && proxy.proxy.endpoints().get(0).inFlightRequests() == 10
                            && proxy.band(0).requests() == 20);
            backend.release("gate");
            for (int i = 0; i < 30; i++) {
                assertThat(clients.get(i % 8).response(streams.get(i)).text()).isEqualTo("late");
            }
            proxy.awaitQuiet();
        }
    }

    // The utilization detector.

    private static final String UTILIZATION = """
            ---
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            featureGates: [flowControl]
            plugins: [{type: utilization-detector, parameters: {metricsStalenessThreshold: %s}}]
            flowControl:
              saturationDetector: {pluginRef: utilization-detector}
            """;

    private long delivered() {
        return backend.requests().stream().filter(seen -> seen.method().equals("POST")).count();
    }

    @ParameterizedTest
    @CsvSource({"0, 0.95", "5, 0.1", "40, 1.0"})
    void theEnginesOwnMetricsCloseAndOpenTheGate(int waiting, double kvCache) throws Exception {
        metrics(page(waiting, kvCache));
        try (RunningProxy proxy = proxy(1, UTILIZATION.formatted("2s"))) {
            Awaitility.await().until(() -> Integer.valueOf(waiting).equals(proxy.proxy.endpoints().get(0).waiting()));
            int stream = Calls.post(clients.get(0));
            proxy.awaitWaiting(0, 1);
            clients.get(0).roundTrip();
            assertThat(delivered()).isZero();
            metrics(IDLE_PAGE);
            assertThat(clients.get(0).response(stream).status()).isEqualTo(200);
            proxy.awaitQuiet();
        }
    }

    @Test
    void betweenTwoReadingsOnlyWhatTheEngineHasRoomForIsSent() throws Exception {
        metrics(IDLE_PAGE);
        backend.answer(Script.empty().hold("gate").send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        try (RunningProxy proxy = proxy(4, UTILIZATION.formatted("60s"))) {
            Awaitility.await().until(() -> proxy.proxy.endpoints().get(0).waiting() != null);
            backend.answerWhen(seen -> seen.uri().equals("/metrics"), Script.empty().hold("page").send("HTTP/1.1 200 OK\r\n\r\n").fin());
            long pages = backend.requests().stream().filter(seen -> seen.method().equals("GET")).count();
            Awaitility.await().until(() -> backend.requests().stream().filter(seen -> seen.method().equals("GET")).count() > pages);
            for (int i = 0; i < 40; i++) {
                Calls.post(clients.get(i % 8));
            }
            proxy.awaitWaiting(0, 35);
            Awaitility.await().until(() -> delivered() == 5);
            Awaitility.await().during(Duration.ofMillis(200)).until(() -> delivered() == 5);
            metrics(IDLE_PAGE);
            backend.release("page");
            backend.release("gate");
            proxy.awaitQuiet();
            assertThat(delivered()).isEqualTo(40);
        }
    }

    // Flow control off.

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void withoutFlowControlOnlySheddableRequestsAreRefused(int loops) throws Exception {
        String picker = RunningProxy.PICKER.formatted(1).replace("featureGates: [flowControl]\n", "") + RunningProxy.objective("shed", -1);
        try (RunningProxy proxy = proxy(loops, picker); Http1RawClient http1 = proxy.http1()) {
            Http2RawClient client = clients.get(0);
            assertThat(client.response(Calls.post(client, OBJECTIVE, "shed")).status()).as("there is room").isEqualTo(200);
            proxy.awaitQuiet();
            backend.hold();
            int running = Calls.post(client);
            backend.awaitRunning(1);
            var refused = client.response(Calls.post(client, OBJECTIVE, "shed"));
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header(Calls.REASON)).hasValue("rejected-saturated");
            assertThat(refused.header(Calls.HEADROOM)).isEmpty();
            Calls.post(http1, OBJECTIVE + ": shed");
            Http1Response second = http1.response();
            assertThat(second.status()).isEqualTo(429);
            int more = Calls.post(client);
            backend.awaitRunning(2);
            backend.release();
            assertThat(client.response(running).status()).isEqualTo(200);
            assertThat(client.response(more).header(Calls.HEADROOM)).isEmpty();
            proxy.awaitQuiet();
        }
    }
}
