package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.ProxyOptions;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client is told when its request cannot be dispatched, by cause, and how long it waits before. */
class StatusMatrixEndToEndTest {

    private static final String TTL = "x-llm-d-inference-ttl";
    private static final String OBJECTIVE = "x-llm-d-inference-objective";
    private static final String NO_ENDPOINTS = "rejected-no-endpoints";
    private static final String EXPIRED = "rejected-ttl-expired";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private static String picker(String flowKeys) {
        return RunningProxy.PICKER.formatted(1) + "  priorityBands: [{priority: 0, maxRequests: 1}]\n" + flowKeys;
    }

    private RunningProxy full(String flowKeys) {
        return RunningProxy.start(ProxyOptions.defaults().withLoops(2), List.of(backend), "", picker(flowKeys));
    }

    private static RunningProxy empty(String flowKeys) {
        return RunningProxy.start(2, List.of(), "", picker(flowKeys));
    }

    private static void assertRefused(Http2Response response, int status, String reason) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.header(Calls.REASON)).hasValue(reason);
        assertThat(response.header(Calls.HEADROOM)).isEmpty();
        assertThat(response.header("content-type")).hasValue("application/json");
        assertThat(response.header("x-request-id")).isPresent();
        String type = status == 429 ? "RateLimitError" : "InternalServerError";
        assertThat(response.text()).contains("\"code\":" + status, "\"type\":\"" + type);
        assertThat(response.header("content-length")).hasValue(Integer.toString(response.body().length));
    }

    private static void assertRefused(Http1Response response, int status, String reason) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.header(Calls.REASON)).hasValue(reason);
        assertThat(response.header(Calls.HEADROOM)).isEmpty();
    }

    private int occupy(RunningProxy proxy, Http2RawClient client) {
        backend.answer(Script.empty().hold("gate").send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        int stream = Calls.post(client);
        backend.awaitRunning(1);
        assertThat(proxy.band(0).requests()).isZero();
        return stream;
    }

    @Test
    void withEndpointsAFullBandIs429AndATooLongWaitIs429() throws Exception {
        try (RunningProxy proxy = full("  defaultRequestTTL: 1s\n"); Http2RawClient client = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            occupy(proxy, client);
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            assertRefused(client.response(Calls.post(client)), 429, "rejected-saturated");
            Calls.post(http1);
            assertRefused(http1.response(), 429, "rejected-saturated");
            assertRefused(client.response(waiting), 429, EXPIRED);
            Calls.post(http1);
            assertRefused(http1.response(), 429, EXPIRED);
            backend.release("gate");
            proxy.awaitQuiet();
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void withoutEndpointsAFullBandIs503AndATooLongWaitIs503() throws Exception {
        try (RunningProxy proxy = empty("  noEndpointRequestTTL: 1s\n  defaultRequestTTL: 60s\n"); Http2RawClient client = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            assertRefused(client.response(Calls.post(client)), 503, NO_ENDPOINTS);
            Calls.post(http1);
            assertRefused(http1.response(), 503, NO_ENDPOINTS);
            assertRefused(client.response(waiting), 503, NO_ENDPOINTS);
            Calls.post(http1);
            assertRefused(http1.response(), 503, NO_ENDPOINTS);
            assertRefused(client.response(client.request(Calls.head("GET"))), 503, NO_ENDPOINTS);
            proxy.awaitQuiet();
        }
    }

    @Test
    void whatStillWaitsAtTheEndOfADrainIs503() throws Exception {
        String keys = "drain: {timeout: 400ms}\n";
        try (RunningProxy proxy = RunningProxy.start(2, List.of(backend), keys, picker("")); Http2RawClient client = proxy.http2()) {
            occupy(proxy, client);
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            proxy.proxy.drain();
            assertRefused(client.response(waiting), 503, "rejected-shutting-down");
        }
    }

    @Test
    void anUnknownObjectiveOrNumberMeansTheDefaultBand() throws Exception {
        try (RunningProxy proxy = full(""); Http2RawClient client = proxy.http2()) {
            for (String objective : List.of("unknown", "", "-99999999999", "7")) {
                assertThat(client.response(Calls.post(client, "x-llm-d-inference-objective", objective)).all(Calls.HEADROOM))
                        .as(objective).containsExactly("1");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatExpiresBeforeTheQueueIsLookedAtIsToldTheSame(boolean endpoints) throws Exception {
        AtomicBoolean held = new AtomicBoolean();
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        FlowHooks hooks = new FlowHooks() {
            @Override
            public boolean holdProvisioning() {
                if (held.compareAndSet(true, false)) {
                    stuck.countDown();
                    await(go);
                }
                return false;
            }
        };
        String picker = RunningProxy.PICKER.formatted(1) + "  noEndpointRequestTTL: 50ms\n";
        List<ScriptedBackend> backends = endpoints ? List.of(backend) : List.of();
        try (RunningProxy proxy = RunningProxy.start(4, hooks, backends, "", picker)) {
            List<Http2RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(proxy.http2());
            }
            if (endpoints) {
                occupy(proxy, clients.get(0));
            }
            held.set(true);
            Settings changed = RunningProxy.settings(RunningProxy.yaml(backends, "", picker + RunningProxy.objective("new", 5)));
            Thread drainer = new Thread(() -> proxy.proxy.reload(changed));
            drainer.start();
            stuck.await();
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 720; i++) {
                streams.add(Calls.post(clients.get(i % 8), TTL, "50ms"));
            }
            LockSupport.parkNanos(Duration.ofMillis(60).toNanos());
            go.countDown();
            drainer.join();
            for (int i = 0; i < 720; i++) {
                assertRefused(clients.get(i % 8).response(streams.get(i)), endpoints ? 429 : 503, endpoints ? EXPIRED : NO_ENDPOINTS);
            }
            backend.release("gate");
            proxy.awaitQuiet();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void sheddableRequestsWaitInASmallBandOfTheirOwnAndNeverDisplaceOthers() throws Exception {
        String picker = RunningProxy.PICKER.formatted(1) + "  defaultNegativePriorityBand: {maxRequests: 1}\n"
                + RunningProxy.objective("shed", -1);
        try (RunningProxy proxy = RunningProxy.start(2, List.of(backend), "", picker); Http2RawClient client = proxy.http2()) {
            Awaitility.await().until(() -> proxy.proxy.bands().size() == 2);
            occupy(proxy, client);
            int shed = Calls.post(client, OBJECTIVE, "shed");
            proxy.awaitWaiting(-1, 1);
            assertRefused(client.response(Calls.post(client, OBJECTIVE, "shed")), 429, "rejected-saturated");
            int normal = Calls.post(client, "x-number", "normal");
            proxy.awaitWaiting(0, 1);
            backend.release("gate");
            assertThat(client.response(normal).status()).isEqualTo(200);
            assertThat(client.response(shed).status()).isEqualTo(200);
            assertThat(backend.requests().stream().map(seen -> seen.header(OBJECTIVE))).containsExactly(null, null, "shed");
        }
    }

    @Test
    void aRefusalForLackOfRoomSaysWhenToComeBackOnceASlowRateIsKnown() throws Exception {
        try (RunningProxy proxy = full("  defaultRequestTTL: 30s\n"); Http2RawClient client = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            occupy(proxy, client);
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            Awaitility.await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                Http2Response full = client.response(Calls.post(client));
                assertRefused(full, 429, "rejected-saturated");
                assertThat(full.header("retry-after").map(Integer::parseInt)).hasValueSatisfying(s -> assertThat(s).isBetween(1, 30));
            });
            Calls.post(http1);
            assertThat(http1.response().header("retry-after").map(Integer::parseInt))
                    .hasValueSatisfying(seconds -> assertThat(seconds).isBetween(1, 30));
            backend.release("gate");
            assertThat(client.response(waiting).header("retry-after")).isEmpty();
            proxy.awaitQuiet();
        }
    }

    // How long.

    @ParameterizedTest
    @CsvSource({"300ms, 60s", "60s, 200ms", "300ms, nonsense", "300ms, -1s", "300ms, ''", "300ms, 0s"})
    void theClientsBudgetOnlyShortens(String configured, String asked) throws Exception {
        try (RunningProxy proxy = full("  defaultRequestTTL: " + configured + '\n'); Http2RawClient client = proxy.http2()) {
            occupy(proxy, client);
            assertRefused(client.response(Calls.post(client, TTL, asked)), 429, EXPIRED);
            backend.release("gate");
            proxy.awaitQuiet();
        }
    }

    @Test
    void theBandsBudgetReplacesTheGlobalOne() throws Exception {
        String picker = RunningProxy.PICKER.formatted(1) + "  defaultRequestTTL: 60s\n"
                + "  priorityBands: [{priority: 0, maxRequests: 9, defaultRequestTTL: 200ms}]\n";
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), "", picker); Http2RawClient client = proxy.http2()) {
            occupy(proxy, client);
            assertRefused(client.response(Calls.post(client)), 429, EXPIRED);
            assertRefused(client.response(Calls.post(client, TTL, "60s")), 429, EXPIRED);
        }
    }

    @Test
    void theClientsBudgetDoesNotTouchTheWaitForEndpoints() throws Exception {
        try (RunningProxy proxy = empty("  noEndpointRequestTTL: 700ms\n"); Http2RawClient client = proxy.http2()) {
            long start = System.nanoTime();
            assertRefused(client.response(Calls.post(client, TTL, "50ms")), 503, NO_ENDPOINTS);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(690));
        }
    }

    // The pool's two regimes.

    private void endpoints(RunningProxy proxy, String flowKeys, ScriptedBackend... backends) {
        assertThat(proxy.proxy.reload(RunningProxy.settings(RunningProxy.yaml(List.of(backends), "", picker(flowKeys))))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPoolThatGetsItsFirstEndpointServesWhatWaits(boolean http1) throws Exception {
        try (RunningProxy proxy = empty("")) {
            try (Http2RawClient client = proxy.http2(); Http1RawClient other = proxy.http1()) {
                int stream = http1 ? 0 : Calls.post(client);
                if (http1) {
                    Calls.post(other);
                }
                proxy.awaitWaiting(0, 1);
                endpoints(proxy, "", backend);
                assertThat(http1 ? other.response().status() : client.response(stream).status()).isEqualTo(200);
                proxy.awaitQuiet();
            }
        }
    }

    @Test
    void aPoolThatLosesItsLastEndpointStartsTheOtherBudget() throws Exception {
        String keys = "  defaultRequestTTL: 60s\n  noEndpointRequestTTL: 300ms\n";
        try (RunningProxy proxy = full(keys); Http2RawClient client = proxy.http2()) {
            int running = occupy(proxy, client);
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            endpoints(proxy, keys);
            assertRefused(client.response(waiting), 503, NO_ENDPOINTS);
            assertThat(backend.running()).as("what runs goes on").isOne();
            backend.release("gate");
            assertThat(client.response(running).status()).isEqualTo(200);
        }
    }

    @Test
    void aPoolThatGetsAFullEndpointStartsTheFirstBudgetAnew() throws Exception {
        String keys = "  defaultRequestTTL: 400ms\n  noEndpointRequestTTL: 60s\n";
        try (RunningProxy proxy = full(keys); Http2RawClient client = proxy.http2()) {
            occupy(proxy, client);
            endpoints(proxy, keys);
            int waiting = Calls.post(client);
            proxy.awaitWaiting(0, 1);
            // Its address stays, and so does what runs on it: it comes back full.
            endpoints(proxy, keys, backend);
            assertRefused(client.response(waiting), 429, EXPIRED);
            assertThat(backend.requests()).hasSize(1);
            backend.release("gate");
            proxy.awaitQuiet();
        }
    }
}
