package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.RejectReason;
import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.PolicySpec;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** FC-17: five requests in a band below one that always has work. One request runs at a time, and takes 100 ms. */
class StarvationTest {

    private static final Duration WORK = Duration.ofMillis(100);

    private final List<Integer> order = new ArrayList<>();
    private final List<RecordingListener> low = new ArrayList<>();
    private RecordingListener running = new RecordingListener();

    @Test
    void byDefaultTheyWaitUntilTheirBudgetEndsAndAreToldSo() {
        run(Rig.bands(100, 0, 10), 700);
        assertThat(order).doesNotContain(0).hasSizeGreaterThan(600);
        assertThat(low).hasSize(5).allMatch(each -> each.refused() == RejectReason.TTL_EXPIRED);
    }

    @Test
    void withABoundTheyGetTheirShareAsSoonAsTheyHaveWaitedThatLong() {
        run(rig("starvation-bound-policy", Map.of("maxWait", "2s", "share", 10)), 100);
        assertThat(order.subList(0, 20)).doesNotContain(0);
        assertThat(order.subList(20, 71).stream().filter(priority -> priority == 0)).hasSize(5);
        for (int i = 0; i + 10 <= order.size(); i++) {
            assertThat(order.subList(i, i + 10).stream().filter(priority -> priority == 0)).as("from %d on", i).hasSizeLessThanOrEqualTo(1);
        }
        assertThat(low).allMatch(RecordingListener::dispatched);
    }

    @Test
    void withWeightsTheyGetTheirShareInEachRound() {
        run(rig("weighted-band-policy", Map.of("weights", Map.of("10", 4, "0", 1))), 40);
        for (int round = 0; round < 5; round++) {
            assertThat(order.subList(1 + 5 * round, 6 + 5 * round)).as("round %d", round).containsOnlyOnce(0);
        }
        assertThat(low).allMatch(RecordingListener::dispatched);
    }

    private static Rig rig(String type, Map<String, Object> parameters) {
        return new Rig(Rig.config(100, 0, 10), with -> with.withBandSelection(
                PolicySet.of(List.of(new PolicySpec("bands", type, parameters)), with.nanoClock()).bandSelection("bands")));
    }

    private void run(Rig rig, int rounds) {
        rig.placement.limit(1);
        rig.gate.open();
        send(rig, 10);
        for (int i = 0; i < 5; i++) {
            low.add(send(rig, 0));
        }
        for (int round = 0; round < rounds; round++) {
            send(rig, 10);
            rig.clock.advance(WORK);
            rig.controller.tick();
            running.lease().close();
        }
    }

    private RecordingListener send(Rig rig, int priority) {
        RecordingListener listener = new RecordingListener(heard -> {
            if (heard.dispatched()) {
                order.add(priority);
                running = heard;
            }
        });
        rig.controller.submit(TestRequest.in(priority), listener, rig.owner);
        return listener;
    }
}
