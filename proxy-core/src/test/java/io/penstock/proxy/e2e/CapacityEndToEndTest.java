package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
