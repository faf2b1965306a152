package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks, at any position of a clock that may be negative and overflow. */
class OrderingPoliciesTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final TestRequest ANY = TestRequest.in(0);

    private final OrderingPolicy edf = Policies.ordering("edf-ordering-policy");
    private final OrderingPolicy slo = Policies.ordering("slo-deadline-ordering-policy");

    @ParameterizedTest
    @ValueSource(longs = {0, -5 * 1_000_000_000L, Long.MAX_VALUE - 1_000_000_000L})
    void theEarlierEndOfTheBudgetGoesFirst(long now) {
        long patient = edf.rank(ANY, now, 60 * SECOND);
        long hurried = edf.rank(ANY, now + 10 * SECOND, 5 * SECOND);
        assertThat(hurried - patient).isNegative();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 1_000_000_000L})
    void withoutABudgetARequestComesAfterEveryDeadlineAndAmongItsLikeByArrival(long now) {
        long unlimited = edf.rank(ANY, now, 0);
        assertThat(edf.rank(ANY, now + 100 * SECOND, Long.MAX_VALUE) - unlimited).isNegative();
        assertThat(unlimited - edf.rank(ANY, now + 1, 0)).isNegative();
    }

    @Test
    void equalDeadlinesHaveEqualRanksSoThatArrivalDecides() {
        assertThat(edf.rank(ANY, 10, 20)).isEqualTo(edf.rank(ANY, 20, 10));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1_000_000_000L, Long.MAX_VALUE - 1_000_000_000L})
    void theFirstTokensDeadlineCountsFromWhenTheHeadWasThere(long now) {
        TestRequest slow = ANY.slo(now, Duration.ofSeconds(10));
        TestRequest quick = ANY.slo(now + SECOND, Duration.ofMillis(500));
        assertThat(slo.rank(quick, now + 50 * SECOND, 0) - slo.rank(slow, now, 0)).isNegative();
    }

    @Test
    void zeroIsAnObjectiveAndNoneIsNot() {
        TestRequest zero = ANY.slo(100, Duration.ZERO);
        TestRequest none = ANY.slo(5, Duration.ofNanos(-1));
        TestRequest endless = new TestRequest(ANY.flowKey(), 1, 0, ANY.excluded(), 300, Long.MAX_VALUE, 0);
        assertThat(slo.rank(zero, 0, 0)).isEqualTo(100);
        assertThat(slo.rank(zero, 0, 0) - slo.rank(none, 0, 0)).isNegative();
        assertThat(slo.rank(endless, 0, 0) - slo.rank(none, 0, 0)).as("far, but a deadline").isNegative();
        assertThat(slo.rank(none, 0, 0) - slo.rank(ANY.slo(6, Duration.ofNanos(-1)), 0, 0)).isNegative();
    }
}
