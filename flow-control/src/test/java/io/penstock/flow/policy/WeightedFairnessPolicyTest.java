package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WeightedFairnessPolicyTest {

    private static TestBand band(Map<String, Object> parameters) {
        return new TestBand(Policies.fairness("weighted-fairness-policy", parameters));
    }

    @Test
    void withoutParametersTenantsTakeTurns() {
        TestBand band = band(Map.of());
        band.arrive("flood", 500);
        band.arrive("b");
        assertThat(band.dispatch(2)).contains("b");
    }

    @Test
    void requestsAreSharedByWeight() {
        TestBand band = band(Map.of("weights", Map.of("gold", 3, "silver", 2)));
        for (String id : List.of("gold", "silver", "other")) {
            band.arrive(id, 2000);
        }
        Map<String, Long> shares = shares(band, 600, null);
        assertThat(shares.get("gold")).isBetween(298L, 302L);
        assertThat(shares.get("silver")).isBetween(198L, 202L);
        assertThat(shares.get("other")).isBetween(98L, 102L);
    }

    @Test
    void inEveryStretchTheSharesAreNearlyRight() {
        TestBand band = band(Map.of("weights", Map.of("a", 9)));
        band.arrive("a", 1000);
        band.arrive("b", 1000);
        List<String> served = band.dispatch(1000);
        for (int from = 0; from + 20 <= served.size(); from++) {
            assertThat(served.subList(from, from + 20).stream().filter("b"::equals).count()).isBetween(1L, 3L);
        }
    }

    @Test
    void bytesAreSharedWithinATenthWhateverTheSizes() {
        Random random = new Random(7);
        TestBand band = band(Map.of("cost", "bytes", "weights", Map.of("b", 2)));
        for (int i = 0; i < 20_000; i++) {
            band.arrive("a", 100 * (1 + random.nextInt(1000)), 1);
            band.arrive("b", 1 + random.nextInt(1000), 1);
            band.arrive("b", 1 + random.nextInt(1000), 1);
        }
        Map<String, Long> bytes = shares(band, 10_000, "bytes");
        assertThat((double) bytes.get("b") / bytes.get("a")).isCloseTo(2, within(0.2));
    }

    @Test
    void tokensAreSharedWithinATenth() {
        TestBand band = band(Map.of("cost", "tokens"));
        for (int i = 0; i < 5000; i++) {
            band.arrive("long", 1, 4000);
            band.arrive("short", 1, 40);
        }
        Map<String, Long> tokens = shares(band, 3000, "tokens");
        assertThat((double) tokens.get("long") / tokens.get("short")).isCloseTo(1, within(0.1));
    }

    @Test
    void whereNoTokensAreCountedRequestsAre() {
        TestBand band = band(Map.of("cost", "tokens"));
        for (int i = 0; i < 10; i++) {
            band.arrive("a", 1_000_000, 0);
            band.arrive("b", 1, 0);
        }
        assertThat(shares(band, 10, null)).isEqualTo(Map.of("a", 5L, "b", 5L));
    }

    /** FC-20: a tenant with a hundred times larger bodies. */
    @Test
    void aTenantBehindAFloodOfLargeRequestsIsNextOrNextButOne() {
        TestBand band = band(Map.of("cost", "bytes"));
        for (int i = 0; i < 500; i++) {
            band.arrive("a", 100_000, 1);
        }
        band.arrive("b", 1000, 1);
        assertThat(band.dispatch(2)).contains("b");
    }

    @Test
    void aHugeRequestIsServedInItsTurnAndPaidForAfterwards() {
        TestBand band = band(Map.of("cost", "bytes"));
        band.arrive("huge", 1L << 40, 1);
        band.arrive("huge", 1, 1);
        band.arrive("small", 5000);
        List<String> served = band.dispatch(5002);
        assertThat(served.subList(0, 2)).contains("huge");
        assertThat(served.lastIndexOf("huge")).isEqualTo(5001);
    }

    @Test
    void aFlowThatPaysForAHugeRequestGoesOnWhenItIsAlone() {
        TestBand band = band(Map.of("cost", "bytes"));
        band.arrive("huge", 1L << 40, 1);
        band.arrive("huge", 1L << 40, 1);
        band.arrive("small", 1, 1);
        assertThat(band.dispatch(4)).containsExactly("huge", "small", "huge", "-");
    }

    @Test
    void anIdleFlowGathersNoCredit() {
        TestBand band = band(Map.of());
        band.arrive("late");
        band.arrive("busy", 3000);
        band.dispatch(1000);
        band.arrive("late", 1000);
        assertThat(band.dispatch(100).stream().filter("late"::equals).count()).isBetween(49L, 51L);
    }

    @Test
    void anOldDebtIsNoPlaceInFrontOfThoseThatWait() {
        TestBand band = band(Map.of());
        band.arrive("late");
        band.arrive("b", 20);
        band.arrive("c", 20);
        assertThat(band.dispatch(22)).endsWith("b");
        band.arrive("late");
        assertThat(band.dispatch(2)).containsExactly("c", "late");
    }

    @Test
    void equalsTakeTurnsInTheSameOrder() {
        TestBand band = band(Map.of());
        for (String id : List.of("a", "b", "c", "d", "e")) {
            band.arrive(id, 3);
        }
        assertThat(band.dispatch(15)).containsExactly("a", "b", "c", "d", "e", "a", "b", "c", "d", "e", "a", "b", "c", "d", "e");
    }

    @Test
    void whatCostsNothingCountsAsOne() {
        TestBand band = band(Map.of("cost", "tokens"));
        for (int i = 0; i < 100; i++) {
            band.arrive("uncounted", 1, 0);
            band.arrive("counted", 1, 1);
        }
        assertThat(shares(band, 100, null)).isEqualTo(Map.of("uncounted", 50L, "counted", 50L));
    }

    @Test
    void debtsOfForgottenFlowsAreNotKept() {
        WeightedFairnessPolicy policy = new WeightedFairnessPolicy(WeightedFairnessConfig.from(Map.of("cost", "bytes")));
        TestBand band = new TestBand(policy);
        band.arrive("busy", 2);
        for (int i = 0; i < 100; i++) {
            band.arrive("made-up-" + i, 1000, 1);
        }
        band.dispatch(101);
        assertThat(policy.debts()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            band.forget("made-up-" + i);
        }
        assertThat(policy.debts()).isZero();
    }

    @Test
    void whatAnotherPolicyLeftInAFlowMeansNothing() {
        TestBand band = band(Map.of());
        band.arrive("debtor");
        band.arrive("busy", 2);
        band.dispatch(1);
        for (int slot : new int[] {-1, -2, -1000, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            TestFlow flow = new TestFlow("f" + slot).add(0);
            flow.slot(slot);
            band.policy.activated(flow);
            band.policy.deactivated(flow);
            flow.slot(slot);
            band.policy.forgotten(flow);
        }
        band.arrive("debtor");
        assertThat(band.dispatch(3)).containsExactly("busy", "debtor", "busy");
    }

    @Test
    void aFlowDoesNotShakeOffItsDebtByHavingNothingWaitingForAMoment() {
        TestBand band = band(Map.of("cost", "bytes"));
        band.arrive("serial", 1000, 1);
        for (int i = 0; i < 100; i++) {
            band.arrive("busy", 10, 1);
        }
        assertThat(band.dispatch(1)).containsExactly("serial");
        band.arrive("serial", 1000, 1);
        assertThat(band.dispatch(50)).containsOnly("busy");
    }

    @Test
    void debtsEndWhenNothingWaits() {
        TestBand band = band(Map.of("cost", "bytes"));
        band.arrive("a", 1_000_000, 1);
        assertThat(band.dispatch(1)).containsExactly("a");
        band.arrive("a");
        band.arrive("b", 100);
        assertThat(band.dispatch(2)).contains("a");
    }

    @Test
    void aFlowThatWasForgottenOwesNothing() {
        TestBand band = band(Map.of("cost", "bytes"));
        band.arrive("a", 1_000_000, 1);
        band.arrive("b", 100);
        assertThat(band.dispatch(1)).containsExactly("a");
        band.forget("a");
        band.arrive("a");
        assertThat(band.dispatch(2)).contains("a");
    }

    @Test
    void aFlowSetAsideKeepsItsTurn() {
        TestBand band = band(Map.of());
        TestFlow a = band.arrive("a");
        TestFlow b = band.arrive("b");
        band.policy.setAside(a);
        assertThat(band.policy.pick()).isSameAs(b);
        band.policy.setAside(b);
        assertThat(band.policy.pick()).isNull();
        band.policy.restore();
        assertThat(band.dispatch(2)).containsExactly("a", "b");
    }

    @Test
    void whatIsOwedSurvivesBeingSetAside() {
        TestBand band = band(Map.of());
        TestFlow a = band.arrive("a");
        band.arrive("a", 9);
        band.arrive("b", 10);
        assertThat(band.dispatch(1)).containsExactly("a");
        band.policy.setAside(a);
        band.policy.restore();
        assertThat(band.dispatch(2)).containsExactly("b", "a");
    }

    @Test
    void anyHistoryEndsWithEverythingServed() {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            TestBand band = band(Map.of("cost", "bytes", "weights", Map.of("f1", 1000, "f2", 0.001)));
            int waiting = 0;
            for (int step = 0; step < 1000; step++) {
                int what = random.nextInt(8);
                if (what < 4) {
                    TestFlow flow = band.arrive("f" + random.nextInt(20), random.nextLong(1L << 40), 1);
                    waiting++;
                    if (what == 0) {
                        band.policy.setAside(flow);
                    } else if (what == 1) {
                        band.leave(flow);
                        waiting--;
                    }
                } else if (what < 7) {
                    waiting -= band.dispatch() == null ? 0 : 1;
                } else {
                    band.policy.restore();
                }
            }
            band.policy.restore();
            for (; waiting > 0; waiting--) {
                assertThat(band.dispatch()).isNotNull();
            }
            assertThat(band.dispatch()).isNull();
        }
    }

    private static Map<String, Long> shares(TestBand band, int requests, @Nullable String by) {
        Map<String, Long> shares = new HashMap<>();
        for (int i = 0; i < requests; i++) {
            TestFlow next = (TestFlow) band.policy.pick();
            assertThat(next).isNotNull();
            TestFlow.Head head = next.head();
            long size = by == null ? 1 : by.equals("bytes") ? head.bytes() : head.tokens();
            shares.merge(next.toString(), size, Long::sum);
            band.dispatch();
        }
        return shares;
    }
}
