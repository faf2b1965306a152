package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An admitter between admission and forwarding, with flow control and without (spec/flow-control section 8). */
class AdmitterEndToEndTest {

    private static final String OBJECTIVE = "x-llm-d-inference-objective";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSheddableRequestIsDeniedByBusyServersAndOthersAreNot(boolean flowControl) throws Exception {
        backend.answerWhen(seen -> seen.uri().equals("/metrics"), Script.json(200,
                "vllm:num_requests_waiting 50\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0.9\n"));
        String picker = RunningProxy.PICKER.formatted(8)
                .replace("plugins: [", "plugins: [{name: shed-some, type: probabilistic-admitter}, ")
                + RunningProxy.objective("shed", -1);
        if (!flowControl) {
            picker = picker.replace("featureGates: [flowControl]\n", "");
        }
        try (RunningProxy proxy = RunningProxy.start(2, List.of(backend), "", picker); Http2RawClient client = proxy.http2()) {
            Awaitility.await().until(() -> proxy.proxy.endpoints().get(0).waiting() != null);
            Http2Response denied = client.response(Calls.post(client, OBJECTIVE, "shed"));
            assertThat(denied.status()).isEqualTo(429);
            assertThat(denied.header(Calls.REASON)).isEmpty();
            assertThat(denied.header(Calls.HEADROOM).isPresent()).isEqualTo(flowControl);
            assertThat(denied.text()).contains("\"type\":\"RateLimitError\"");
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(200);
            assertThat(backend.requests().stream().filter(seen -> seen.method().equals("POST"))).hasSize(1);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_admitter_denials_total{admitter=\"shed-some\"}")).isEqualTo(1);
            assertThat(proxy.metric("penstock_requests_total{cause=\"refused\",protocol=\"HTTP/2\",status=\"4xx\"}")).isEqualTo(1);
        }
    }
}
