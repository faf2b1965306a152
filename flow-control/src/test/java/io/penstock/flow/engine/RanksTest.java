package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.PolicySpec;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The ranks of what waits when another ordering policy comes, and when one says nothing. The clock is about to overflow, so ranks of two
 * orderings, or a rank of zero and two deadlines, go round in a circle where they meet.
 */
class RanksTest {

    private static final String FCFS = "fcfs-ordering-policy";
    private static final String SLO = "slo-deadline-ordering-policy";
    private static final String EDF = "edf-ordering-policy";
    private static final String ROUND_ROBIN = "round-robin-fairness-policy";

    private final PolicySet policies = PolicySet.of(List.of(new PolicySpec(EDF, EDF, Map.of()), new PolicySpec(SLO, SLO, Map.of()),
            new PolicySpec(ROUND_ROBIN, ROUND_ROBIN, Map.of()),
            new PolicySpec("weighted", "weighted-fairness-policy", Map.of("weights", Map.of("a", 2.0)))), () -> 0);
    private final List<String> served = new ArrayList<>();

    /** The factories stay the same objects, so that a reload knows what has not changed. */
    private Rig rig(String fairness, String ordering) {
        return new Rig(Rig.config(band(fairness, ordering), List.of(band(fairness, ordering), Rig.band(5, 10))),
                with -> with.withPolicies(policies::fairness, policies::ordering));
    }

    private static BandConfig band(String fairness, String ordering) {
        return new BandConfig(0, 10_000, BandConfig.DEFAULT_MAX_BYTES, BandConfig.INHERIT, fairness, ordering);
    }

    private static void order(Rig rig, String fairness, String ordering) {
        rig.reconfigure(Rig.config(band(fairness, ordering), List.of(band(fairness, ordering), Rig.band(5, 10))));
    }

    private Rig.Sent send(Rig rig, String name, TestRequest request) {
        RecordingListener listener = new RecordingListener(heard -> served.add(name));
        return new Rig.Sent(request, listener, rig.controller.submit(request, listener, rig.owner));
    }

    private static TestRequest slo(Rig rig, String flow, Duration firstToken) {
        return TestRequest.of(flow, 0).slo(rig.clock.getAsLong(), firstToken);
    }

    @Test
    void anotherOrderingComparesNoHeadWithARankOfTheOneBefore() {
        Rig rig = rig(BandConfig.GLOBAL_STRICT, FCFS);
        send(rig, "at once", slo(rig, "d", Duration.ZERO));
        send(rig, "before that", TestRequest.of("b", 0).slo(rig.clock.getAsLong() - 1_000_000, Duration.ZERO));
        send(rig, "never", TestRequest.of("c", 0).slo(rig.clock.getAsLong(), Duration.ofNanos(-1)));
        order(rig, BandConfig.GLOBAL_STRICT, SLO);
        rig.open();
        assertThat(served).containsExactly("before that", "at once", "never");
    }

    @Test
    void theBestOfManyFlowsIsNextAfterAnyChangeOfTheOrdering() {
        for (int seed = 0; seed < 100; seed++) {
            served.clear();
            Random random = new Random(seed);
            Rig rig = rig(BandConfig.GLOBAL_STRICT, SLO);
            List<Long> objectives = new ArrayList<>();
            int count = 2 + random.nextInt(60);
            for (int i = 0; i < count; i++) {
                long millis = random.nextInt(3) == 0 ? -1 : random.nextInt(3000);
                objectives.add(millis < 0 ? Long.MAX_VALUE : millis);
                send(rig, String.valueOf(i), slo(rig, "f" + random.nextInt(40), Duration.ofMillis(millis)));
            }
            order(rig, BandConfig.GLOBAL_STRICT, FCFS);
            order(rig, BandConfig.GLOBAL_STRICT, SLO);
            if (random.nextBoolean()) {
                order(rig, BandConfig.GLOBAL_STRICT, FCFS);
                order(rig, BandConfig.GLOBAL_STRICT, EDF);
                order(rig, BandConfig.GLOBAL_STRICT, SLO);
            }
            rig.open();
            assertThat(served).as("seed %d", seed).hasSize(count)
                    .isSortedAccordingTo(Comparator.comparing((String name) -> objectives.get(Integer.parseInt(name)))
                            .thenComparingInt(Integer::parseInt));
        }
    }

    @Test
    void aFairnessPolicyKeepsItsTurnsAndDebtsWhenTheOrderingChanges() {
        for (String fairness : List.of(ROUND_ROBIN, "weighted")) {
            served.clear();
            Rig rig = rig(fairness, FCFS);
            for (String flow : List.of("a", "b", "c", "a", "b", "c")) {
                send(rig, flow, slo(rig, flow, Duration.ofMillis(5)));
            }
            rig.placement.limit(1);
            rig.open();
            assertThat(served).containsExactly("a");
            order(rig, fairness, SLO);
            rig.placement.limit(100);
            rig.controller.signal();
            assertThat(served.subList(1, 6)).as(fairness).containsExactly("b", "c", "a", "b", "c");
        }
    }

    @Test
    void aRequestThatLeavesDuringAReloadPutsNoOtherOutOfOrder() {
        Rig rig = rig(BandConfig.GLOBAL_STRICT, FCFS);
        Rig.Sent leaves = send(rig, "leaves", slo(rig, "a", Duration.ofMillis(1)));
        send(rig, "soon", slo(rig, "a", Duration.ofMillis(500)));
        send(rig, "later", slo(rig, "a", Duration.ofSeconds(5)));
        Rig.Sent higher = rig.send(5);
        rig.placement.beforeReturn(() -> {
            rig.placement.beforeReturn(() -> {
            });
            leaves.ticket().cancel();
            order(rig, BandConfig.GLOBAL_STRICT, SLO);
        });
        rig.open();
        assertThat(higher.listener().dispatched()).isTrue();
        assertThat(served).containsExactly("soon", "later");
    }

    /** By deadline; has none for a request of seven bytes, and breaks. */
    private record Breaking(OrderingPolicy deadlines) implements OrderingPolicy {

        @Override
        public String type() {
            return "breaking";
        }

        @Override
        public long rank(AdmissionRequest request, long submittedNanos, long budgetNanos) {
            if (request.byteSize() == 7) {
                throw new IllegalStateException("on purpose");
            }
            return deadlines.rank(request, submittedNanos, budgetNanos);
        }
    }

    @Test
    void aRequestForWhichTheOrderingThrowsIsRankedByItsSubmission() {
        OrderingPolicy breaking = new Breaking(policies.ordering(SLO));
        Rig rig = new Rig(Rig.config(10, 0), with -> with.withPolicies(policies::fairness, name -> breaking));
        send(rig, "broken", slo(rig, "x", Duration.ofSeconds(9)).bytes(7));
        send(rig, "over", TestRequest.of("y", 0).slo(rig.clock.getAsLong() - 1_000_000, Duration.ZERO));
        send(rig, "soon", slo(rig, "z", Duration.ofMillis(500)));
        send(rig, "later", slo(rig, "w", Duration.ofSeconds(5)));
        rig.open();
        assertThat(served).containsExactly("over", "broken", "soon", "later");
        assertThat(rig.events.failures()).containsExactly("breaking");
    }
}
