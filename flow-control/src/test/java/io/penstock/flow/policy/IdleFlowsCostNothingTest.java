package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Counted, not timed: what a pick touches does not grow with flows that have nothing waiting. */
class IdleFlowsCostNothingTest {

    private static final int IDLE = 20_000;
    private static final int ACTIVE = 5;
    private static final int PICKS = 1000;

    static List<String> types() {
        return Policies.FAIRNESS;
    }

    @ParameterizedTest
    @MethodSource("types")
    void picksTouchNoIdleFlow(String type) {
        FairnessPolicy policy = PolicySet.of(List.of(new PolicySpec("p", type, Map.of())), () -> 0).fairness("p");
        TestBand band = new TestBand(policy);
        List<TestFlow> idle = new ArrayList<>();
        for (int i = 0; i < IDLE; i++) {
            idle.add(band.arrive("idle-" + i, 1000, 1000));
        }
        assertThat(band.dispatch(IDLE)).doesNotContain("-");
        int before = touches(idle);
        List<TestFlow> active = new ArrayList<>();
        for (int i = 0; i < ACTIVE; i++) {
            band.arrive("active-" + i, PICKS);
            active.add(band.arrive("active-" + i));
        }
        int beforePicks = touches(active);
        for (int i = 0; i < PICKS; i++) {
            FlowHandle picked = policy.pick();
            assertThat(picked).isNotNull();
            band.dispatch();
        }
        assertThat(touches(idle)).isEqualTo(before);
        assertThat(touches(active) - beforePicks).isLessThan(PICKS * 20 * ACTIVE);
    }

    private static int touches(List<TestFlow> flows) {
        return flows.stream().mapToInt(TestFlow::touches).sum();
    }

    @ParameterizedTest
    @MethodSource("manyActive")
    void aDispatchTouchesFewOfTheActiveFlows(String type) {
        FairnessPolicy policy = PolicySet.of(List.of(new PolicySpec("p", type, Map.of())), () -> 0).fairness("p");
        TestBand band = new TestBand(policy);
        List<TestFlow> active = new ArrayList<>();
        for (int i = 0; i < IDLE; i++) {
            band.arrive("active-" + i, 2);
            active.add(band.arrive("active-" + i));
        }
        int before = touches(active);
        band.dispatch(PICKS);
        assertThat((touches(active) - before) / PICKS).as("touches a dispatch").isLessThan(64);
    }

    /** All but the program-aware one, whose choice is relative to every flow that waits. */
    static List<String> manyActive() {
        return Policies.FAIRNESS.stream().filter(type -> !type.equals(ProgramAwareConfig.TYPE)).toList();
    }
}
