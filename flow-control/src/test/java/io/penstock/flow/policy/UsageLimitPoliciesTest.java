package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.flow.UsageLimitPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageLimitPoliciesTest {

    private static double[] ceilings(UsageLimitPolicy policy, double saturation, int... priorities) {
        double[] ceilings = new double[priorities.length];
        Arrays.fill(ceilings, 1.0);
        policy.ceilings(saturation, priorities, ceilings);
        return ceilings;
    }

    private static UsageLimitPolicy holdback(Map<String, Object> parameters) {
        return Policies.usageLimit("priority-holdback-policy", parameters);
    }

    private static UsageLimitPolicy softReflective() {
        return Policies.usageLimit("soft-reflective-ceiling-policy", Map.of());
    }

    @Test
    void byRankTheDistanceOfPrioritiesMeansNothing() {
        UsageLimitPolicy policy = holdback(Map.of("minCeiling", 0.5));
        assertThat(ceilings(policy, 0.3, 1000, 1, 0)).containsExactly(new double[] {1, 0.75, 0.5}, within(1e-12));
        assertThat(ceilings(policy, 2, 3, 2, 1)).containsExactly(new double[] {1, 0.75, 0.5}, within(1e-12));
    }

    @Test
    void byValueItMeansEverything() {
        UsageLimitPolicy policy = holdback(Map.of("minCeiling", 0.5, "maxCeiling", 0.9, "domain", "value"));
        assertThat(ceilings(policy, 0.3, 100, 75, 0)).containsExactly(new double[] {0.9, 0.8, 0.5}, within(1e-12));
        assertThat(ceilings(policy, 0.3, Integer.MAX_VALUE, 0, Integer.MIN_VALUE)).containsExactly(new double[] {0.9, 0.7, 0.5},
                within(1e-9));
    }

    @ParameterizedTest
    @CsvSource({"rank", "value"})
    void oneBandAloneHasTheHighestCeiling(String domain) {
        UsageLimitPolicy policy = holdback(Map.of("minCeiling", 0, "maxCeiling", 0.8, "domain", domain));
        assertThat(ceilings(policy, 0.3, -7)).containsExactly(0.8);
    }

    @Test
    void equalPrioritiesHaveTheHighestCeilingByValue() {
        assertThat(ceilings(holdback(Map.of("minCeiling", 0.1, "domain", "value")), 0.3, 4, 4)).containsExactly(1, 1);
    }

    /** Period 2 at 0.7, period 3 at 0.75. */
    @ParameterizedTest
    @CsvSource({"0.7,.o.o.o", "0.75,..o..o", "0.5,ooo", "0.6666667,.o.o", "0.9,........o", "0.49,ooo", "1,...", "1.5,..."})
    void theHeldBackBandIsOpenEverySoManyCalls(double saturation, String pattern) {
        UsageLimitPolicy policy = softReflective();
        StringBuilder open = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            double[] ceilings = ceilings(policy, saturation, 10, 0);
            assertThat(ceilings[0]).isEqualTo(1.0);
            open.append(ceilings[1] == 1.0 ? 'o' : '.');
        }
        assertThat(open).hasToString(pattern);
    }

    @Test
    void aBandAloneIsNeverHeldBack() {
        assertThat(ceilings(softReflective(), 0.99, 0)).containsExactly(1.0);
        assertThat(ceilings(softReflective(), 5, 0)).containsExactly(1.0);
    }

    @Test
    void theTickRestsWhileThePoolIsLessThanHalfFullOrFull() {
        UsageLimitPolicy policy = softReflective();
        ceilings(policy, 0.7, 1, 0);
        ceilings(policy, 0.2, 1, 0);
        ceilings(policy, 1.2, 1, 0);
        assertThat(ceilings(policy, 0.7, 1, 0)).as("the second tick").containsExactly(1, 1);
    }

    @Test
    void theLowestBandsAreHeldBackFirst() {
        UsageLimitPolicy policy = softReflective();
        assertThat(ceilings(policy, 0.65, 3, 2, 1)).as("held back are those whose line, 0.675 and 0.35, is reached")
                .containsExactly(1, 1, 0);
        assertThat(ceilings(softReflective(), 0.67, 3, 2, 1)).containsExactly(1, 0, 0);
    }

    @Test
    void noLowerBandIsEverOpenWhileAHigherOneIsNot() {
        Random random = new Random(11);
        List<UsageLimitPolicy> policies = new ArrayList<>(List.of(softReflective(), holdback(Map.of("minCeiling", 0.2)),
                holdback(Map.of("minCeiling", 0.2, "domain", "value"))));
        for (int step = 0; step < 20_000; step++) {
            double saturation = random.nextDouble() * 1.3;
            int[] priorities = IntStream.generate(() -> random.nextInt(100) - 50).distinct().limit(1 + random.nextInt(8))
                    .map(priority -> -priority).sorted().map(priority -> -priority).toArray();
            for (UsageLimitPolicy policy : policies) {
                double[] ceilings = ceilings(policy, saturation, priorities);
                assertThat(ceilings[0]).isEqualTo(1.0);
                for (int i = 1; i < ceilings.length; i++) {
                    assertThat(ceilings[i]).isLessThanOrEqualTo(ceilings[i - 1]);
                }
            }
        }
    }

    @Test
    void aSaturationThatIsNoNumberOpensNothing() {
        for (double ceiling : ceilings(softReflective(), Double.NaN, 2, 1, 0)) {
            assertThat(Double.NaN < ceiling).isFalse();
        }
    }
}
