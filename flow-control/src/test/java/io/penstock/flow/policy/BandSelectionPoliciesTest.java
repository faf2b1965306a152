package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.BandSelectionPolicy;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BandSelectionPoliciesTest {

    private static final long SECOND = 1_000_000_000;

    private static BandSelectionPolicy bounded(int share) {
        return Policies.bandSelection("starvation-bound-policy", Map.of("maxWait", "2s", "share", share));
    }

    private static BandSelectionPolicy weighted(Map<String, Object> weights) {
        return Policies.bandSelection("weighted-band-policy", Map.of("weights", weights));
    }

    private static long count(List<Integer> served, int priority) {
        return Collections.frequency(served, priority);
    }

    @Test
    void byDefaultTheHighestBandIsAlwaysFirst() {
        TestBands bands = new TestBands(StrictBandPolicy.INSTANCE, 2, 1, 0);
        assertThat(bands.dispatch(100, 1000 * SECOND)).containsOnly(2);
    }

    @Test
    void nothingOverdueMeansStrictPriority() {
        TestBands bands = new TestBands(bounded(10), 1, 0).head(1, 0).head(0, 0);
        assertThat(bands.dispatch(100, 2 * SECOND)).containsOnly(1);
    }

    @Test
    void oneDispatchInTheShareGoesToAnOverdueBand() {
        TestBands bands = new TestBands(bounded(10), 1, 0);
        List<Integer> served = bands.dispatch(100, 2 * SECOND + 1);
        assertThat(count(served, 0)).isEqualTo(10);
        for (int from = 0; from + 10 <= 100; from++) {
            assertThat(count(served.subList(from, from + 10), 0)).isEqualTo(1);
        }
    }

    @Test
    void aShareOfOneLetsOverdueBandsGoFirst() {
        TestBands bands = new TestBands(bounded(1), 1, 0);
        assertThat(bands.dispatch(3, 3 * SECOND)).containsOnly(0);
    }

    @Test
    void quietTimesGiveNoCredit() {
        TestBands bands = new TestBands(bounded(4), 1, 0).waiting(0, false);
        assertThat(bands.dispatch(1000, 0)).containsOnly(1);
        bands.waiting(0, true);
        assertThat(bands.dispatch(9, 3 * SECOND)).containsExactly(0, 1, 1, 1, 0, 1, 1, 1, 0);
    }

    @Test
    void ofSeveralOverdueBandsTheOneThatHasWaitedLongestIsServed() {
        TestBands bands = new TestBands(bounded(2), 2, 1, 0).head(2, 9 * SECOND).head(1, 3 * SECOND).head(0, SECOND);
        assertThat(bands.dispatch(3, 10 * SECOND)).containsExactly(0, 2, 0);
        bands.head(0, 8 * SECOND);
        assertThat(bands.dispatch(2, 10 * SECOND)).containsExactly(2, 1);
    }

    @Test
    void theBandWhoseTurnItIsAnywayUsesUpNoShare() {
        TestBands bands = new TestBands(bounded(10), 1, 0).waiting(1, false);
        assertThat(bands.dispatch(20, 3 * SECOND)).containsOnly(0);
        bands.waiting(1, true);
        assertThat(bands.dispatch(2, 3 * SECOND)).containsExactly(0, 1);
    }

    @Test
    void anOverdueBandAtItsCeilingIsNotPutFirst() {
        TestBands bands = new TestBands(bounded(2), 2, 1, 0).open(0, false).head(0, -SECOND);
        assertThat(bands.dispatch(4, 3 * SECOND)).containsExactly(1, 2, 1, 2);
    }

    @Test
    void anOverdueBandThatNoEndpointTakesIsPutFirstAgain() {
        BandSelectionPolicy policy = bounded(10);
        TestBands bands = new TestBands(policy, 1, 0);
        assertThat(bands.rank(3 * SECOND)).containsExactly(0, 1);
        policy.dispatched(1, 3 * SECOND);
        assertThat(bands.rank(3 * SECOND)).containsExactly(0, 1);
        policy.dispatched(0, 3 * SECOND);
        assertThat(bands.rank(3 * SECOND)).containsExactly(1, 0);
    }

    @Test
    void waitsAreMeasuredAcrossTheOverflowOfTheClock() {
        long start = Long.MAX_VALUE - SECOND;
        TestBands bands = new TestBands(bounded(2), 1, 0).head(1, start + SECOND).head(0, start);
        assertThat(bands.rank(start + 4 * SECOND)).containsExactly(0, 1);
        assertThat(bands.rank(start + SECOND)).containsExactly(1, 0);
    }

    @Test
    void bandsAreSharedByWeight() {
        TestBands bands = new TestBands(weighted(Map.of("100", 6, "10", 3)), 100, 10, 0);
        List<Integer> served = bands.dispatch(1000, 0);
        assertThat(count(served, 100)).isBetween(598L, 602L);
        assertThat(count(served, 10)).isBetween(298L, 302L);
        assertThat(count(served, 0)).as("not listed, so the default of 1").isBetween(98L, 102L);
    }

    @Test
    void theRatioOfTwoBandsDoesNotDependOnOthers() {
        Map<String, Object> weights = Map.of("2", 3, "1", 1, "0", 100);
        List<Integer> alone = new TestBands(weighted(weights), 2, 1).dispatch(400, 0);
        List<Integer> withAnother = new TestBands(weighted(weights), 2, 1, 0).dispatch(10_400, 0);
        assertThat(count(alone, 2)).isEqualTo(300);
        assertThat(count(withAnother, 2)).isBetween(299L, 301L);
        assertThat(count(withAnother, 1)).isBetween(99L, 101L);
    }

    @Test
    void anEmptyBandNeitherSavesUpNorTakesOverOnReturn() {
        TestBands bands = new TestBands(weighted(Map.of()), 1, 0).waiting(1, false);
        bands.dispatch(1000, 0);
        bands.waiting(1, true);
        assertThat(count(bands.dispatch(100, 0), 1)).isBetween(49L, 51L);
    }

    @Test
    void aBandAtItsCeilingSavesNothingUpEither() {
        TestBands bands = new TestBands(weighted(Map.of("0", 50)), 1, 0).open(0, false);
        assertThat(bands.dispatch(1000, 0)).containsOnly(1);
        bands.open(0, true);
        assertThat(count(bands.dispatch(102, 0), 1)).isBetween(1L, 3L);
    }

    @Test
    void aBandThatComesStartsWithTheOthersAndOneThatGoesLeavesThemAsTheyWere() {
        TestBands bands = new TestBands(weighted(Map.of("5", 3)), 5, 0);
        bands.dispatch(400, 0);
        bands.add(7);
        List<Integer> served = bands.dispatch(500, 0);
        assertThat(count(served, 7)).isBetween(99L, 101L);
        assertThat(count(served, 5)).isBetween(299L, 301L);
        bands.remove(7);
        assertThat(count(bands.dispatch(400, 0), 5)).isBetween(299L, 301L);
    }

    @Test
    void aBandWithTheSmallestWeightIsServedToo() {
        TestBands bands = new TestBands(weighted(Map.of("1", 1000, "0", 1)), 1, 0);
        assertThat(count(bands.dispatch(5005, 0), 0)).isBetween(5L, 6L);
    }

    @Test
    void aBandThatNoEndpointTakesKeepsItsTurn() {
        BandSelectionPolicy policy = weighted(Map.of());
        TestBands bands = new TestBands(policy, 1, 0);
        for (int i = 0; i < 10; i++) {
            assertThat(bands.rank(0).get(0)).isEqualTo(1);
            policy.dispatched(0, 0);
        }
        assertThat(bands.dispatch(10, 0)).containsOnly(1);
    }

    @Test
    void bandsThatCannotBeServedComeLast() {
        TestBands bands = new TestBands(weighted(Map.of()), 3, 2, 1, 0).waiting(3, false).open(2, false);
        assertThat(bands.rank(0).subList(0, 2)).containsExactly(1, 0);
    }

    @Test
    void theOrderIsAlwaysAPermutation() {
        for (BandSelectionPolicy policy : List.of(bounded(3), weighted(Map.of("3", 0.001, "4", 1000)))) {
            Random random = new Random(3);
            TestBands bands = new TestBands(policy, 0);
            for (int step = 0; step < 3000; step++) {
                int priority = random.nextInt(9) - 4;
                boolean known = bands.rank(step * SECOND).contains(priority);
                if (!known) {
                    bands.add(priority).head(priority, random.nextInt(3000) * SECOND);
                } else if (random.nextInt(8) == 0) {
                    bands.remove(priority);
                } else {
                    bands.waiting(priority, random.nextBoolean()).open(priority, random.nextBoolean());
                }
                assertThat(bands.rank(step * SECOND)).doesNotHaveDuplicates().hasSize(bands.size());
                bands.dispatch(1, step * SECOND);
            }
        }
    }
}
