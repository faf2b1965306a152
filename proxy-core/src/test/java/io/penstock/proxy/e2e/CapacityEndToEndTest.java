package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Places of endpoints and of bands from the outside, when many ask at the same moment. */
class CapacityEndToEndTest {

    private final ScriptedBackend one = ScriptedBackend.start();
    private final ScriptedBackend two = ScriptedBackend.start();

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    /** FC-16: two places, bursts of twenty, 200 times: whoever finds both taken waits, and nobody hears that there is no endpoint. */
    @Test
    void burstsForTwoPlacesAreServedToTheLastRequest() throws Exception {
        Map<String, Integer> answers = new HashMap<>();
        try (RunningProxy proxy = RunningProxy.start(4, List.of(one, two), "", RunningProxy.PICKER.formatted(1))) {
            for (int lap = 0; lap < 4; lap++) {
                List<Http2RawClient> clients = List.of(proxy.http2(), proxy.http2(), proxy.http2(), proxy.http2());
                for (int round = 0; round < 50; round++) {
                    List<Integer> streams = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        streams.add(Calls.post(clients.get(i % 4)));
                    }
                    for (int i = 0; i < 20; i++) {
                        Http2Response response = clients.get(i % 4).response(streams.get(i));
                        answers.merge(response.status() + response.header(Calls.REASON).orElse(""), 1, Integer::sum);
                    }
                }
                clients.forEach(Http2RawClient::close);
            }
            proxy.awaitQuiet();
        }
        assertThat(answers).isEqualTo(Map.of("200", 4_000));
    }

    /** MET-06: what clients make up is in no label, but for fairness ids, and those are bounded. */
    @Test
    void oddPathsMethodsModelsAndObjectivesMakeNoSeries() throws Exception {
        one.answerWhen(request -> request.uri().equals("/metrics"), Script.json(200, "vllm:num_requests_waiting 0\n"
                + "vllm:num_requests_running 0\nvllm:kv_cache_usage_perc 0\n"));
        String picker = RunningProxy.PICKER.formatted(4);
        try (RunningProxy proxy = RunningProxy.start(1, List.of(one), "", picker); Http2RawClient a = proxy.http2()) {
            assertThat(a.response(odd(a, "first")).status()).isEqualTo(200);
            proxy.awaitQuiet();
            // A scrape and a tick bring series of their own; they are to be there before the count.
            Awaitility.await().until(() -> proxy.admin("GET", "/metrics").body(), page -> page.contains("ready_endpoints{name=\"\"} 1.0")
                    && page.contains("flow_control_capacity_utilization_requests"));
            Set<String> before = series(proxy);
            for (int i = 0; i < 300; i++) {
                a.response(odd(a, "odd" + i));
            }
            proxy.awaitQuiet();
            assertThat(proxy.admin("GET", "/metrics").body()).doesNotContainIgnoringCase("odd");
            Set<String> made = series(proxy);
            made.removeAll(before);
            assertThat(made).isEmpty();
        }
    }

    private static int odd(Http2RawClient client, String word) {
        byte[] body = ("{\"model\":\"" + word + "\"}").getBytes(StandardCharsets.US_ASCII);
        return client.request(body, ":method", word.toUpperCase(Locale.ROOT), ":scheme", "http", ":authority", word + ".test", ":path",
                "/" + word, "x-llm-d-inference-objective", word, "x-" + word, word);
    }

    private static Set<String> series(RunningProxy proxy) throws IOException, InterruptedException {
        return proxy.admin("GET", "/metrics").body().lines().filter(line -> !line.startsWith("#"))
                .map(line -> line.substring(0, line.lastIndexOf(' '))).collect(Collectors.toCollection(TreeSet::new));
    }

    /** FC-22: a place is taken from dispatch to the last byte, and a wait ends when its budget does. */
    @Test
    void ofFiftyArrivalsTwoRunTenWaitForASecondAndTheRestIsRefusedAtOnce() throws Exception {
        one.answer(Script.empty().streamHead().chunk("data: 1\n\n").hold("end").lastChunk());
        String picker = RunningProxy.PICKER.formatted(2)
                + "  defaultRequestTTL: 1s\n  priorityBands: [{priority: 0, maxRequests: 10}]\n";
        try (RunningProxy proxy = RunningProxy.start(4, List.of(one), "", picker)) {
            List<Http2RawClient> clients = new ArrayList<>();
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                clients.add(proxy.http2());
            }
            long began = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                streams.add(Calls.post(clients.get(i % 5)));
            }
            Awaitility.await().pollInterval(Duration.ofMillis(2)).until(() -> proxy.band(0).rejectedTotal() == 38);
            assertThat(proxy.band(0).requests()).isEqualTo(10);
            one.awaitRunning(2);
            Awaitility.await().pollInterval(Duration.ofMillis(2)).until(() -> proxy.band(0).rejectedTotal() == 48);
            assertThat(System.nanoTime() - began).as("no wait ended early").isGreaterThan(1_000_000_000L);
            assertThat(one.running()).as("their first bytes freed no place").isEqualTo(2);
            int next = Calls.post(clients.get(0));
            proxy.awaitWaiting(0, 1);
            one.releaseOne("end");
            Calls.awaitData(clients.get(0), next, "data: 1\n\n");
            one.release("end");
            assertThat(clients.get(0).response(next).complete()).isTrue();
            Map<String, Integer> answers = new HashMap<>();
            for (int i = 0; i < 50; i++) {
                Http2Response response = clients.get(i % 5).response(streams.get(i));
                answers.merge(response.status() + response.header(Calls.REASON).orElse(""), 1, Integer::sum);
            }
            assertThat(answers).isEqualTo(Map.of("200", 2, "429rejected-saturated", 38, "429rejected-ttl-expired", 10));
            proxy.awaitQuiet();
        }
    }
}
