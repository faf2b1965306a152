package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.plugin.PluginConfigException.Problem;
import io.penstock.flow.testkit.TestRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

    @Test
    void firstComeFirstServedLeavesTheOrderToArrival() {
        var fcfs = Policies.ordering("fcfs-ordering-policy");
        assertThat(fcfs.rank(TestRequest.in(0), 5, 7)).isEqualTo(fcfs.rank(TestRequest.of("b", 3).bytes(99), -5, 0));
    }

    @Test
    void theStaticLimitIsTheSameForEveryBand() {
        double[] ceilings = {1.0, 1.0, 1.0};
        new StaticUsageLimitPolicy(0.8).ceilings(0.3, new int[] {2, 1, 0}, ceilings);
        assertThat(ceilings).containsOnly(0.8);
    }

    @Test
    void parametersOfPoliciesThatTakeNoneAreIgnoredWithANotice() {
        for (String type : List.of("fcfs-ordering-policy", "edf-ordering-policy", "slo-deadline-ordering-policy",
                "global-strict-fairness-policy", "round-robin-fairness-policy")) {
            Policies.check(type, Map.of("anything", 1));
            assertThat(Policies.notices(type, Map.of("anything", 1))).extracting(Problem::message)
                    .containsExactly(type + " takes no parameters, ignored");
            assertThat(Policies.notices(type, Map.of())).isEmpty();
        }
    }

    @Test
    void theSoftReflectivePolicyRefusesEveryParameter() {
        Policies.check("soft-reflective-ceiling-policy", Map.of());
        assertThatThrownBy(() -> Policies.check("soft-reflective-ceiling-policy", Map.of("shape", "linear")))
                .hasMessageStartingWith("shape: unknown parameter");
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
    void aThresholdThatIsNoCeilingIsRefused(double threshold) {
        assertThatThrownBy(() -> new StaticUsageLimitPolicy(threshold)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("threshold: ");
    }
}
