package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seed 1 from socket to socket. */
class HeadroomEndToEndTest {

    private static final String HEADROOM = "x-llm-d-flow-band-headroom-requests";
    private static final String SHORT = "x-llm-d-flow-band-headroom";
    private static final String DURATION = "x-llm-d-flow-queue-duration-ms";
    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final String BAND_OF_100 = "  priorityBands: [{priority: 0, maxRequests: 100}]\n";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(int loops, String picker) {
        return RunningProxy.start(loops, List.of(backend), "", picker);
    }

    private static int post(Http2RawClient client, String... headers) {
        List<String> all = new ArrayList<>(List.of(":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x"));
        all.addAll(List.of(headers));
        return client.request(BODY, all.toArray(String[]::new));
    }

    private static String http1(String... headerLines) {
        StringBuilder head = new StringBuilder("POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n");
        for (String line : headerLines) {
            head.append(line).append("\r\n");
        }
        return head.append("\r\n{}").toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void theValueIsThatOfTheMomentWhenTheResponseHeadIsWritten(int loops) throws Exception {
        try (RunningProxy proxy = proxy(loops, RunningProxy.PICKER.formatted(1) + BAND_OF_100); Http2RawClient client = proxy.http2()) {
            backend.hold();
            int first = post(client);
            backend.awaitRunning(1);
            List<Http2RawClient> others = new ArrayList<>();
            try {
                wait(proxy, others, 10);
                proxy.awaitWaiting(0, 10);
                wait(proxy, others, 50);
                proxy.awaitWaiting(0, 60);
                backend.releaseOne();
                Http2Response response = client.response(first);
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.all(HEADROOM)).containsExactly("40");
            } finally {
                others.forEach(Http2RawClient::close);
            }
            backend.release();
            proxy.awaitQuiet();
        }
    }

    private static void wait(RunningProxy proxy, List<Http2RawClient> clients, int requests) throws Exception {
        Http2RawClient client = proxy.http2();
        clients.add(client);
        for (int i = 0; i < requests; i++) {
            post(client);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 81, 99, 100})
    void theValueIsCapacityMinusWhatWaits(int waiting) throws Exception {
        try (RunningProxy proxy = proxy(1, RunningProxy.PICKER.formatted(1) + BAND_OF_100); Http2RawClient client = proxy.http2()) {
            backend.hold();
            int first = post(client);
            backend.awaitRunning(1);
            List<Http2RawClient> others = new ArrayList<>();
            try {
                for (int left = waiting; left > 0; left -= 50) {
                    wait(proxy, others, Math.min(left, 50));
                }
                proxy.awaitWaiting(0, waiting);
                backend.releaseOne();
                assertThat(client.response(first).all(HEADROOM)).containsExactly(Integer.toString(100 - waiting));
            } finally {
                others.forEach(Http2RawClient::close);
            }
            backend.release();
            proxy.awaitQuiet();
        }
    }

    @Test
    void aRequestForABandThatIsNotProvisionedYetReportsBandZero() throws Exception {
        AtomicBoolean held = new AtomicBoolean(true);
        FlowHooks hooks = new FlowHooks() {
            @Override
            public boolean holdProvisioning() {
                return held.get();
            }
        };
        String picker = RunningProxy.PICKER.formatted(8)
                + "  defaultPriorityBand: {maxRequests: 7}\n  priorityBands: [{priority: 0, maxRequests: 100}]\n"
                + RunningProxy.objective("premium", 5);
        try (RunningProxy proxy = RunningProxy.start(1, hooks, List.of(backend), "", picker); Http2RawClient client = proxy.http2()) {
            backend.hold();
            int early = post(client, "x-llm-d-inference-objective", "premium");
            backend.awaitRunning(1);
            held.set(false);
            org.awaitility.Awaitility.await().until(() -> proxy.proxy.bands().stream().anyMatch(band -> band.priority() == 5));
            int late = post(client, "x-llm-d-inference-objective", "premium");
            backend.awaitRunning(2);
            backend.release();
            assertThat(client.response(early).all(HEADROOM)).as("admitted by band 0, though band 5 exists by now").containsExactly("100");
            assertThat(client.response(late).all(HEADROOM)).as("admitted by band 5").containsExactly("7");
        }
    }

    @Test
    void aBackendCannotSpoofTheHeaderAnywhere() throws Exception {
        backend.answer(Script.empty()
                .head(103, "X-LLM-D-Flow-Band-Headroom-Requests: 997", "Link: </style.css>")
                .head(200, "X-Llm-D-Flow-Band-Headroom-Requests: 999", HEADROOM + ": abc", "X-LLM-D-REQUEST-DROPPED-REASON: evicted",
                        "Transfer-Encoding: chunked", "Trailer: " + HEADROOM)
                .chunk("hello").lastChunk("X-LLM-d-flow-band-headroom-requests: 998", "x-sum: 5"));
        try (RunningProxy proxy = proxy(1, RunningProxy.PICKER.formatted(4) + BAND_OF_100)) {
            try (Http2RawClient client = proxy.http2()) {
                Http2Response response = client.response(post(client));
                assertThat(response.all(HEADROOM)).containsExactly("100");
                assertThat(response.header("x-llm-d-request-dropped-reason")).isEmpty();
                assertThat(response.trailers()).noneMatch(field -> field.name().startsWith("x-llm-d-"));
                assertThat(response.trailers()).anyMatch(field -> field.name().equals("x-sum"));
                assertThat(response.informational()).hasSize(1);
                assertThat(response.informational().get(0)).noneMatch(field -> field.name().startsWith("x-llm-d-"));
            }
            try (Http1RawClient client = proxy.http1()) {
                client.send(http1());
                assertThat(client.head().status()).isEqualTo(103);
                Http1Response response = client.response();
                assertThat(response.all(HEADROOM)).containsExactly("100");
                assertThat(response.trailers()).noneMatch(field -> field.name().toLowerCase(java.util.Locale.ROOT).startsWith("x-llm-d-"));
            }
        }
    }

    /** {@code compat.headroomShortName}: the same value, and the name is the proxy's in both cases. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theShortNameIsTheProxysWhetherItIsSentOrNot(boolean sent) throws Exception {
        backend.answer(Script.empty().head(103, "X-LLM-D-Flow-Band-Headroom: 997", "Link: </style.css>")
                .head(200, "X-Llm-D-Flow-Band-Headroom: 999", SHORT + ": abc", "Transfer-Encoding: chunked")
                .chunk("hello").lastChunk("X-LLM-d-flow-band-headroom: 998", "x-sum: 5"));
        String picker = RunningProxy.PICKER.formatted(4) + "  priorityBands: [{priority: 0, maxRequests: 100}, "
                + "{priority: 3, maxRequests: unbounded}]\n" + RunningProxy.objective("open", 3);
        String[] expected = sent ? new String[] {"100"} : new String[0];
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), "compat: {headroomShortName: " + sent + "}\n", picker);
                Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            Http2Response two = http2.response(post(http2, SHORT, "5"));
            assertThat(two.all(SHORT)).containsExactly(expected);
            assertThat(two.all(HEADROOM)).containsExactly("100");
            assertThat(two.informational().get(0)).noneMatch(field -> field.name().startsWith("x-llm-d-"));
            assertThat(two.trailers()).extracting(field -> field.name()).containsExactly("x-sum");
            http1.send(http1(SHORT + ": 5"));
            Http1Response one = http1.response();
            assertThat(one.all(SHORT)).containsExactly(expected);
            assertThat(one.informational().get(0).header(SHORT)).isEmpty();
            assertThat(one.trailers()).extracting(field -> field.name()).containsExactly("x-sum");
            Http2Response unbounded = http2.response(post(http2, "x-gateway-inference-objective", "open"));
            assertThat(unbounded.all(SHORT)).as("never a value of its own").isEmpty();
            assertThat(backend.requests()).noneMatch(request -> request.header(SHORT) != null);
        }
    }

    /** What a dispatcher sends besides: the objective under its older name, and W3C's trace context and baggage. */
    @Test
    void tracesPassAsTheyCameAndTheOlderObjectiveNameCounts() throws Exception {
        String[] traces = {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate", "congo=t61rcWkgMzE",
                "tracestate", "rojo=00f067aa0ba902b7", "baggage", "userId=alice,serverNode=DF%2028;ttl=1"};
        String picker = RunningProxy.PICKER.formatted(4) + "  priorityBands: [{priority: 0, maxRequests: 100}, {priority: 5, "
                + "maxRequests: 7}]\n" + RunningProxy.objective("premium", 5);
        try (RunningProxy proxy = proxy(1, picker); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            List<String> headers = new ArrayList<>(List.of(traces));
            headers.addAll(List.of("x-gateway-inference-objective", "premium"));
            assertThat(http2.response(post(http2, headers.toArray(String[]::new))).all(HEADROOM)).containsExactly("7");
            List<String> lines = new ArrayList<>(List.of("X-Gateway-Inference-Objective: premium"));
            for (int i = 0; i < traces.length; i += 2) {
                lines.add(traces[i] + ": " + traces[i + 1]);
            }
            http1.send(http1(lines.toArray(String[]::new)));
            assertThat(http1.response().all(HEADROOM)).containsExactly("7");
            assertThat(backend.requests()).hasSize(2).allSatisfy(request -> {
                for (int i = 0; i < traces.length; i += 2) {
                    assertThat(request.headers(traces[i])).as(traces[i]).contains(traces[i + 1]);
                }
                assertThat(request.headers("tracestate")).containsExactly("congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7");
            });
        }
    }

    @Test
    void anUnboundedBandHasNoHeadroomAndABackendsCopyIsStillRemoved() throws Exception {
        backend.answer(Script.json(200, "{}", HEADROOM + ": 999"));
        String picker = RunningProxy.PICKER.formatted(4) + "  priorityBands: [{priority: 0, maxRequests: unbounded}]\n";
        try (RunningProxy proxy = proxy(1, picker); Http2RawClient client = proxy.http2()) {
            Http2Response response = client.response(post(client));
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header(HEADROOM)).isEmpty();
            assertThat(response.header(DURATION)).isPresent();
        }
    }

    @Test
    void whatWasNotAdmittedHasNoHeadroom() throws Exception {
        backend.answer(Script.json(200, "{}", HEADROOM + ": 999"));
        try (RunningProxy proxy = proxy(1, RunningProxy.PICKER.formatted(1) + BAND_OF_100); Http2RawClient client = proxy.http2()) {
            Http2Response get = client.response(client.request(":method", "GET", ":scheme", "http", ":authority", "a.test", ":path", "/x"));
            assertThat(get.status()).isEqualTo(200);
            assertThat(get.header(HEADROOM)).isEmpty();
        }
        try (RunningProxy off = proxy(1, ""); Http1RawClient client = off.http1()) {
            client.send(http1());
            Http1Response response = client.response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header(HEADROOM)).as("flow control is off").isEmpty();
            assertThat(response.header(DURATION)).isEmpty();
        }
    }

    @Test
    void refusalsCarryTheReasonAndNoHeadroom() throws Exception {
        String picker = RunningProxy.PICKER.formatted(1) + "  priorityBands: [{priority: 0, maxRequests: 1}]\n  defaultRequestTTL: 2s\n";
        try (RunningProxy proxy = proxy(1, picker); Http2RawClient client = proxy.http2()) {
            backend.hold();
            int running = post(client);
            backend.awaitRunning(1);
            int waiting = post(client);
            proxy.awaitWaiting(0, 1);
            Http2Response full = client.response(post(client));
            assertThat(full.status()).isEqualTo(429);
            assertThat(full.header("x-llm-d-request-dropped-reason")).hasValue("rejected-saturated");
            assertThat(full.header(HEADROOM)).isEmpty();
            Http2Response expired = client.response(waiting);
            assertThat(expired.status()).isEqualTo(429);
            assertThat(expired.header("x-llm-d-request-dropped-reason")).hasValue("rejected-ttl-expired");
            assertThat(expired.header(HEADROOM)).isEmpty();
            backend.release();
            assertThat(client.response(running).all(HEADROOM)).containsExactly("1");
            proxy.awaitQuiet();
        }
    }

    @Test
    void aProxyMadeAnswerOfAnAdmittedRequestCarriesTheHeader() throws Exception {
        backend.answer(Script.raw("garbage\r\n\r\n").fin());
        try (RunningProxy proxy = proxy(1, RunningProxy.PICKER.formatted(4) + BAND_OF_100); Http2RawClient client = proxy.http2()) {
            Http2Response response = client.response(post(client));
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.all(HEADROOM)).containsExactly("100");
        }
    }
}
