package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A running request below priority 0 makes room for one that waits above it, from socket to socket (spec/flow-control section 9). */
class EvictionEndToEndTest {

    private static final String OBJECTIVE = "x-llm-d-inference-objective";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(int loops, int limit) {
        String picker = RunningProxy.PICKER.formatted(limit) + "  enableEviction: true\n  priorityBands: [{priority: -1, maxRequests: 9}]\n"
                + RunningProxy.objective("shed", -1) + RunningProxy.objective("premium", 10);
        RunningProxy proxy = RunningProxy.start(loops, List.of(backend), "", picker);
        Awaitility.await().until(() -> proxy.proxy.bands().size() == 3);
        return proxy;
    }

    private static void assertEvicted(int status, String reason, String headroom, boolean timed) {
        assertThat(status).isEqualTo(429);
        assertThat(reason).isEqualTo("evicted");
        assertThat(headroom).as("of the band that admitted it").isEqualTo("9");
        assertThat(timed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void withoutAResponseHeadItIsRefusedAndItsServerToldAtOnce(int loops) throws Exception {
        try (RunningProxy proxy = proxy(loops, 2); Http2RawClient client = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            backend.answer(Script.never());
            int shed = Calls.post(client, OBJECTIVE, "shed");
            Calls.post(http1, OBJECTIVE + ": shed");
            backend.awaitRunning(2);
            Calls.post(client, OBJECTIVE, "premium");
            Calls.post(client, OBJECTIVE, "premium");
            Http2Response refused = client.response(shed);
            assertEvicted(refused.status(), refused.header(Calls.REASON).orElse(""), refused.header(Calls.HEADROOM).orElse(""),
                    refused.header("x-llm-d-flow-queue-duration-ms").isPresent());
            assertThat(refused.header("content-type")).hasValue("application/json");
            assertThat(refused.header("retry-after")).isEmpty();
            Http1Response other = http1.response();
            assertEvicted(other.status(), other.header(Calls.REASON).orElse(""), other.header(Calls.HEADROOM).orElse(""),
                    other.header("x-llm-d-flow-queue-duration-ms").isPresent());
            backend.awaitDisconnects(2);
            backend.awaitRunning(2);
            assertThat(backend.requests()).hasSize(4);
            Awaitility.await().until(() -> proxy.metric("penstock_requests_total{cause=\"evicted\"") == 2);
            Awaitility.await().until(() -> proxy.metric("llm_d_epp_flow_control_revocations_total{") == 2);
            assertThat(proxy.metric("llm_d_epp_flow_control_revocations_issued_total{")).isEqualTo(2);
        }
    }

    @Test
    void afterTheResponseHeadAnHttp2StreamIsReset() throws Exception {
        try (RunningProxy proxy = proxy(1, 1); Http2RawClient client = proxy.http2()) {
            backend.answer(Script.empty().streamHead().chunk("data: 1\n\n").silence());
            int shed = Calls.post(client, OBJECTIVE, "shed");
            Calls.awaitData(client, shed, "data: 1\n\n");
            backend.answer(Script.json(200, "{}"));
            int premium = Calls.post(client, OBJECTIVE, "premium");
            Http2Frame reset = client.await(Http2Frame.RST_STREAM, shed);
            assertThat(reset.errorCode()).isEqualTo(Http2Frame.CANCEL);
            assertThat(client.response(premium).status()).isEqualTo(200);
            backend.awaitDisconnects(1);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_requests_total{cause=\"evicted\",protocol=\"HTTP/2\",status=\"2xx\"}")).isEqualTo(1);
        }
    }

    @Test
    void afterTheResponseHeadAnHttp1ConnectionIsClosedInTheMiddle() throws Exception {
        try (RunningProxy proxy = proxy(1, 1); Http2RawClient client = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            backend.answer(Script.empty().streamHead().chunk("data: 1\n\n").silence());
            Calls.post(http1, OBJECTIVE + ": shed");
            assertThat(http1.head().status()).isEqualTo(200);
            assertThat(Calls.text(http1.chunk())).isEqualTo("data: 1\n\n");
            backend.answer(Script.json(200, "{}"));
            assertThat(client.response(Calls.post(client, OBJECTIVE, "premium")).status()).isEqualTo(200);
            assertThat(Calls.text(http1.untilEof())).as("no last chunk").isEmpty();
            backend.awaitDisconnects(1);
            proxy.awaitQuiet();
        }
    }

    @Test
    void whatIsNotBelowTheDemandOrBelowZeroIsNeverStopped() throws Exception {
        try (RunningProxy proxy = proxy(1, 1); Http2RawClient client = proxy.http2()) {
            backend.answer(Script.empty().hold("gate").send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
            int normal = Calls.post(client);
            backend.awaitRunning(1);
            int premium = Calls.post(client, OBJECTIVE, "premium");
            int shed = Calls.post(client, OBJECTIVE, "shed");
            proxy.awaitWaiting(10, 1);
            proxy.awaitWaiting(-1, 1);
            backend.release("gate");
            for (int stream : new int[] {normal, premium, shed}) {
                assertThat(client.response(stream).status()).isEqualTo(200);
            }
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_requests_total{cause=\"evicted\"")).isZero();
        }
    }
}
