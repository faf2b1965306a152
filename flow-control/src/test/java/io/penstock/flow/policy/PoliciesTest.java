package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.testkit.TestRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

    @Test
    void everyListedTypeCanBeMadeAndKnowsItsName() {
        assertThat(Policies.FAIRNESS).allSatisfy(type -> assertThat(Policies.fairness(type).type()).isEqualTo(type));
        assertThat(Policies.ORDERING).allSatisfy(type -> assertThat(Policies.ordering(type).type()).isEqualTo(type));
        assertThat(Policies.USAGE_LIMIT).allSatisfy(type -> assertThat(Policies.usageLimit(type)).isNotNull());
    }

    @Test
    void everyBandGetsAFairnessPolicyOfItsOwn() {
        String type = Policies.FAIRNESS.get(0);
        assertThat(Policies.fairness(type)).isNotSameAs(Policies.fairness(type));
    }

    @Test
    void anUnknownTypeIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> Policies.ordering("edf")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("orderingPolicyRef: edf (expected: one of fcfs-ordering-policy)");
        assertThatThrownBy(() -> Policies.usageLimit("static")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("static-usage-limit-policy");
    }

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

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
    void aThresholdThatIsNoCeilingIsRefused(double threshold) {
        assertThatThrownBy(() -> new StaticUsageLimitPolicy(threshold)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("threshold: ");
    }
}
