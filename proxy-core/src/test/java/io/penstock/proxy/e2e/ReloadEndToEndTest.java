package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A changed EndpointPickerConfig while requests wait and run: none of them is lost, and what waits keeps its place. */
class ReloadEndToEndTest {

    private static final String OBJECTIVE = "x-llm-d-inference-objective";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(String picker) {
        return RunningProxy.start(2, List.of(backend), "", picker);
    }

    private void reload(RunningProxy proxy, String picker) {
        assertThat(proxy.proxy.reload(RunningProxy.settings(RunningProxy.yaml(List.of(backend), "", picker)))).isEmpty();
    }

    private static String band(int limit, int maxRequests) {
        return RunningProxy.PICKER.formatted(limit) + "  priorityBands: [{priority: 0, maxRequests: " + maxRequests + "}]\n";
    }

    @Test
    void aBandThatIsCutBelowWhatWaitsHasNoHeadroomUntilItHasDrained() throws Exception {
        try (RunningProxy proxy = proxy(band(1, 100)); Http2RawClient one = proxy.http2(); Http2RawClient two = proxy.http2()) {
            backend.hold();
            List<Integer> streams = new ArrayList<>();
            streams.add(Calls.post(one));
            backend.awaitRunning(1);
            for (int i = 0; i < 60; i++) {
                streams.add(Calls.post(i < 30 ? one : two));
            }
            proxy.awaitWaiting(0, 60);
            reload(proxy, band(1, 40));
            Awaitility.await().until(() -> proxy.band(0).maxRequests() == 40);
            assertThat(proxy.band(0).requests()).as("what waits keeps its place").isEqualTo(60);
            Http2Response refused = two.response(Calls.post(two));
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header(Calls.REASON)).hasValue("rejected-saturated");
            backend.releaseOne();
            Http2Response first = one.response(streams.get(0));
            assertThat(first.status()).isEqualTo(200);
            assertThat(first.all(Calls.HEADROOM)).containsExactly("0");
            assertThat(proxy.metric("llm_d_epp_flow_control_capacity_utilization_requests{")).isGreaterThan(1);
            backend.release();
            int last = 0;
            for (int i = 1; i < streams.size(); i++) {
                Http2Response response = (i <= 30 ? one : two).response(streams.get(i));
                assertThat(response.status()).isEqualTo(200);
                last = Integer.parseInt(response.header(Calls.HEADROOM).orElseThrow());
                assertThat(last).isBetween(0, 40);
            }
            proxy.awaitQuiet();
            assertThat(two.response(Calls.post(two)).all(Calls.HEADROOM)).as("it recovers").containsExactly("40");
            assertThat(backend.requests()).hasSize(62);
        }
    }

    @Test
    void aLargerLimitOfTheDetectorLetsWaitingRequestsGoAtOnce() throws Exception {
        try (RunningProxy proxy = proxy(band(1, 100)); Http2RawClient client = proxy.http2()) {
            backend.hold();
            for (int i = 0; i < 6; i++) {
                Calls.post(client);
            }
            proxy.awaitWaiting(0, 5);
            reload(proxy, band(4, 100));
            backend.awaitRunning(4);
            proxy.awaitWaiting(0, 2);
            backend.release();
            proxy.awaitQuiet();
        }
    }

    @Test
    void budgetsBandsAndPoliciesAreTakenOver() throws Exception {
        String objectives = RunningProxy.objective("premium", 7);
        try (RunningProxy proxy = proxy(band(1, 100) + objectives); Http2RawClient client = proxy.http2()) {
            backend.hold();
            Calls.post(client);
            backend.awaitRunning(1);
            String changed = RunningProxy.PICKER.formatted(1)
                    .replace("plugins: [", "plugins: [{type: round-robin-fairness-policy}, ")
                    + "  defaultRequestTTL: 250ms\n"
                    + "  defaultPriorityBand: {maxRequests: 3, fairnessPolicyRef: round-robin-fairness-policy}\n"
                    + objectives;
            reload(proxy, changed);
            Awaitility.await().until(() -> proxy.band(7).maxRequests() == 3 && proxy.band(0).maxRequests() == 3);
            Http2Response expired = client.response(Calls.post(client, OBJECTIVE, "premium"));
            assertThat(expired.status()).isEqualTo(429);
            assertThat(expired.header(Calls.REASON)).hasValue("rejected-ttl-expired");
            backend.release();
            proxy.awaitQuiet();
        }
    }

    @Test
    void ceilingsAdmittersAndSessionsAreTakenOver() throws Exception {
        String shed = RunningProxy.objective("shed", -1);
        try (RunningProxy proxy = proxy(band(4, 100) + shed); Http2RawClient client = proxy.http2()) {
            backend.answer(Script.empty().hold("gate").send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
            Calls.post(client);
            Calls.post(client);
            backend.awaitRunning(2);
            String half = "plugins: [{type: static-usage-limit-policy, parameters: {threshold: 0.5}}, {type: probabilistic-admitter}, "
                    + "{type: agent-identity}, ";
            String changed = band(4, 100).replace("plugins: [", half) + shed;
            assertThat(proxy.proxy.reload(RunningProxy.experimental(RunningProxy.yaml(List.of(backend), "", changed)))).isEmpty();
            int waits = Calls.post(client, "session-id", "s-7");
            proxy.awaitWaiting(0, 1);
            assertThat(proxy.band(0).flows()).extracting(flow -> flow.fairnessId()).containsExactly("s-7");
            assertThat(backend.running()).as("at the lower ceiling already").isEqualTo(2);
            backend.release("gate");
            assertThat(client.response(waits).status()).isEqualTo(200);
            Http2Response denied = client.response(Calls.post(client, OBJECTIVE, "shed"));
            assertThat(denied.status()).as("a server that was never read counts as full").isEqualTo(429);
            assertThat(denied.header(Calls.REASON)).isEmpty();
            reload(proxy, band(4, 100) + shed);
            assertThat(client.response(Calls.post(client, OBJECTIVE, "shed")).status()).isEqualTo(200);
            proxy.awaitQuiet();
        }
    }

    @Test
    void whatNeedsARestartIsNamedAndNothingOfItIsTaken() throws Exception {
        try (RunningProxy proxy = proxy(band(1, 100))) {
            String without = band(2, 7).replace("featureGates: [flowControl]", "featureGates: []");
            String changed = RunningProxy.yaml(List.of(backend), "timeouts: {request: 5s}\n", without);
            assertThat(proxy.proxy.reload(RunningProxy.settings(changed))).containsExactly("timeouts", "featureGates");
            proxy.proxy.reloadRefused();
            reload(proxy, band(1, 50));
            Awaitility.await().until(() -> proxy.band(0).maxRequests() == 50);
            assertThat(proxy.metric("penstock_config_reloads_total{result=\"needs_restart\"}")).isEqualTo(1);
            assertThat(proxy.metric("penstock_config_reloads_total{result=\"refused\"}")).isEqualTo(1);
            assertThat(proxy.metric("penstock_config_reloads_total{result=\"applied\"}")).isEqualTo(1);
        }
    }

    @Test
    void noRequestFailsHoweverOftenTheConfigurationChangesUnderLoad() throws Exception {
        try (RunningProxy proxy = proxy(band(2, 1000))) {
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger answered = new AtomicInteger();
            List<Thread> load = new ArrayList<>();
            List<String> wrong = new java.util.concurrent.CopyOnWriteArrayList<>();
            for (int i = 0; i < 4; i++) {
                Http2RawClient client = proxy.http2();
                Thread thread = new Thread(() -> {
                    while (!stop.get()) {
                        Http2Response response = client.response(Calls.post(client, OBJECTIVE, "premium"));
                        answered.incrementAndGet();
                        if (response.status() != 200) {
                            wrong.add(response.status() + " " + response.text());
                        }
                    }
                });
                thread.start();
                load.add(thread);
            }
            for (int i = 0; i < 100; i++) {
                String objective = i % 3 == 0 ? "" : RunningProxy.objective("premium", i % 5);
                reload(proxy, band(1 + i % 3, 500 + i) + objective);
                int seen = answered.get();
                Awaitility.await().pollInterval(java.time.Duration.ofMillis(1)).until(() -> answered.get() > seen);
            }
            stop.set(true);
            for (Thread thread : load) {
                thread.join();
            }
            assertThat(wrong).isEmpty();
            proxy.awaitQuiet();
        }
    }
}
