package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.admin.EndpointRow;
import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2Response;
import io.penstock.proxy.testkit.Http2RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each stage of a split pool is filled and freed by its own measure, and either one holds dispatch back. */
class StageLoadEndToEndTest {

    /** Streams a first event at one gate and its end at another. */
    private static final Script STREAM = Script.empty().streamHead().hold("first").chunk("data: 1\n\n").hold("end").lastChunk();

    private final TwoStages stages = new TwoStages(1, 1);
    private final ScriptedBackend decode = stages.decode.get(0).answer(STREAM);

    @AfterEach
    void close() {
        stages.close();
    }

    private RunningProxy proxy(int tokens, int requests, String more) {
        return stages.proxy(FlowHooks.NONE, 2, "", TwoStages.picker(tokens, requests, more));
    }

    private static EndpointRow row(RunningProxy proxy, String name) {
        return proxy.proxy.endpoints().stream().filter(row -> row.name().equals("default/" + name)).findFirst().orElseThrow();
    }

    private static void awaitLoad(RunningProxy proxy, String name, int requests, long tokens) {
        Awaitility.await().pollInterval(Duration.ofMillis(2)).untilAsserted(() -> {
            assertThat(row(proxy, name).inFlightRequests()).isEqualTo(requests);
            assertThat(row(proxy, name).inFlightTokens()).isEqualTo(tokens);
        });
    }

    @Test
    void aPrefillFullOfTokensHoldsDispatchWhileDecodeIdles() throws Exception {
        try (RunningProxy proxy = proxy(100, 50, ""); Http2RawClient client = proxy.http2()) {
            int first = TwoStages.completion(client, 100);
            decode.awaitRunning(1);
            awaitLoad(proxy, "prefill-0", 1, 100);
            awaitLoad(proxy, "decode-0", 1, 100);
            TwoStages.completion(client, 1);
            proxy.awaitWaiting(0, 1);
            assertThat(proxy.metric("llm_d_epp_flow_control_pool_saturation{inference_pool=\"\",stage=\"prefill\"")).isEqualTo(1.0);
            assertThat(proxy.metric("llm_d_epp_flow_control_pool_saturation{inference_pool=\"\",stage=\"decode\"")).isEqualTo(0.02);
            assertThat(proxy.metric("llm_d_epp_inflight_tokens{endpoint_name=\"prefill-0\"")).isEqualTo(100);
            assertThat(decode.running()).isEqualTo(1);
            // Its first byte says that the prompt is done with; the answer goes on.
            decode.releaseOne("first");
            decode.awaitRunning(2);
            awaitLoad(proxy, "prefill-0", 1, 1);
            awaitLoad(proxy, "decode-0", 2, 1);
            decode.release("first").release("end");
            assertThat(client.response(first).complete()).isTrue();
            proxy.awaitQuiet();
            awaitLoad(proxy, "prefill-0", 0, 0);
            awaitLoad(proxy, "decode-0", 0, 0);
            assertThat(decode.requests().stream().filter(seen -> seen.method().equals("POST")))
                    .allMatch(seen -> seen.headers("x-prefiller-host-port").equals(List.of(stages.prefill.get(0).authority())));
            assertThat(stages.prefill.get(0).requests()).noneMatch(seen -> seen.method().equals("POST"));
        }
    }

    @Test
    void aDecodeFullOfRequestsHoldsDispatchWhilePrefillIdles() throws Exception {
        try (RunningProxy proxy = proxy(100_000, 2, ""); Http2RawClient client = proxy.http2()) {
            decode.release("first");
            int first = TwoStages.completion(client, 3);
            Calls.awaitData(client, first, "data: 1\n\n");
            Calls.awaitData(client, TwoStages.completion(client, 3), "data: 1\n\n");
            awaitLoad(proxy, "prefill-0", 0, 0);
            int third = TwoStages.completion(client, 3);
            proxy.awaitWaiting(0, 1);
            assertThat(decode.running()).isEqualTo(2);
            // FC-22: a slot is free after the last byte, not after the first.
            decode.releaseOne("end");
            assertThat(client.response(first).complete()).isTrue();
            Calls.awaitData(client, third, "data: 1\n\n");
            assertThat(decode.running()).isEqualTo(2);
            decode.release("end");
            proxy.awaitQuiet();
        }
    }

    @Test
    void aGateOnDecodeLetsAFullPrefillThrough() throws Exception {
        try (RunningProxy proxy = proxy(10, 3, "    gateOn: decode"); Http2RawClient client = proxy.http2()) {
            for (int i = 0; i < 3; i++) {
                TwoStages.completion(client, 10);
            }
            decode.awaitRunning(3);
            awaitLoad(proxy, "prefill-0", 3, 30);
            TwoStages.completion(client, 10);
            proxy.awaitWaiting(0, 1);
            assertThat(decode.running()).isEqualTo(3);
            decode.release("first").release("end");
            proxy.awaitQuiet();
        }
    }

    @Test
    void aGateOnPrefillLetsAFullDecodeThrough() throws Exception {
        try (RunningProxy proxy = proxy(10, 1, "    gateOn: prefill"); Http2RawClient client = proxy.http2()) {
            decode.release("first");
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                streams.add(TwoStages.completion(client, 10));
                Calls.awaitData(client, streams.get(i), "data: 1\n\n");
            }
            assertThat(decode.running()).isEqualTo(3);
            decode.release("end");
            proxy.awaitQuiet();
        }
    }

    /** FC-14, FC-11: five for a limit of four, none of which says anything for longer than any scrape or tick. */
    @Test
    void theFifthOfFourWaitsForAsLongAsTheFourAreSilent() throws Exception {
        try (RunningProxy proxy = proxy(100_000, 4, ""); Http2RawClient client = proxy.http2()) {
            decode.release("first");
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                streams.add(TwoStages.completion(client, 5));
            }
            decode.awaitRunning(4);
            proxy.awaitWaiting(0, 1);
            assertThat(proxy.metric("llm_d_epp_flow_control_pool_saturation{inference_pool=\"\",stage=\"effective\"")).isEqualTo(1.0);
            Awaitility.await().during(Duration.ofMillis(500)).atMost(Duration.ofSeconds(5))
                    .until(() -> decode.running() == 4 && row(proxy, "decode-0").inFlightRequests() == 4);
            decode.release("end");
            for (int stream : streams) {
                assertThat(client.response(stream).complete()).isTrue();
            }
            proxy.awaitQuiet();
        }
    }

    @Test
    void withOutputEstimatedNothingIsGivenBackBeforeTheEnd() throws Exception {
        String picker = TwoStages.picker(1000, 4, "").replace("plugins:\n", """
                plugins:
                - {type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true, outputRatio: 2, maxEstimatedOutputTokens: 15}}
                """);
        try (RunningProxy proxy = stages.proxy(FlowHooks.NONE, 1, "", picker); Http2RawClient client = proxy.http2()) {
            int stream = TwoStages.completion(client, 5);
            decode.awaitRunning(1);
            awaitLoad(proxy, "decode-0", 1, 15);
            awaitLoad(proxy, "prefill-0", 1, 15);
            decode.release("first");
            Calls.awaitData(client, stream, "data: 1\n\n");
            awaitLoad(proxy, "prefill-0", 0, 0);
            awaitLoad(proxy, "decode-0", 1, 15);
            decode.release("end");
            proxy.awaitQuiet();
            awaitLoad(proxy, "decode-0", 0, 0);
        }
    }

    @Test
    void aDecodeServerThatDiesCostsAReplayWithBothServersChosenAnew() throws Exception {
        try (TwoStages two = new TwoStages(2, 2)) {
            two.decode.get(0).refuse();
            try (RunningProxy proxy = two.proxy(FlowHooks.NONE, 1, "", TwoStages.picker(1000, 4, ""));
                    Http2RawClient client = proxy.http2()) {
                for (int i = 0; i < 6; i++) {
                    Http2Response response = client.response(TwoStages.completion(client, 3));
                    assertThat(response.status()).isEqualTo(200);
                }
                assertThat(two.decode.get(1).requests().stream().filter(seen -> seen.method().equals("POST"))).hasSize(6)
                        .allMatch(seen -> seen.headers("x-prefiller-host-port").size() == 1);
                proxy.awaitQuiet();
                assertThat(proxy.proxy.endpoints()).allMatch(row -> row.inFlightTokens() == 0);
            }
        }
    }
}
