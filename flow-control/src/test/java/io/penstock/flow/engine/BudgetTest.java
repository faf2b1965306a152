package io.penstock.flow.engine;

import static io.penstock.flow.RejectReason.NO_ENDPOINTS;
import static io.penstock.flow.RejectReason.TTL_EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a request may wait: spec/flow-control section 12, cases 20 to 30, and FC-08, FC-22, FC-25. */
class BudgetTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration NANO = Duration.ofNanos(1);

    @Test
    void aRequestSurvivesJustBelowItsBudgetAndIsShedExactlyAtIt() {
        Rig rig = new Rig(Rig.budgets(SECOND, SECOND));
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(SECOND.minus(NANO));
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(NANO);
        assertThat(sent.listener().refused()).isEqualTo(TTL_EXPIRED);
        assertThat(sent.listener().outcomes()).isOne();
        assertThat(rig.events.count(Outcome.EVICTED_TTL)).isOne();
        assertThat(rig.waiting(0)).isZero();
    }

    @Test
    void anEmptyPoolWaitsForItsOwnBudget() {
        Rig rig = new Rig(Rig.budgets(SECOND, SECOND.multipliedBy(5)));
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(SECOND.multipliedBy(5).minus(NANO));
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(NANO);
        assertThat(sent.listener().refused()).isEqualTo(NO_ENDPOINTS);
        assertThat(rig.events.count(Outcome.EVICTED_NO_ENDPOINTS)).isOne();
    }

    @Test
    void aZeroBudgetWaitsForEverInThatRegimeOnly() {
        Rig rig = new Rig(Rig.budgets(Duration.ZERO, SECOND));
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(Duration.ofDays(3000));
        assertThat(sent.listener().outcomes()).isZero();
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(SECOND);
        assertThat(sent.listener().refused()).isEqualTo(NO_ENDPOINTS);
    }

    @Test
    void aZeroBudgetOfAnEmptyPoolEndsWithItsRegimeToo() {
        Rig rig = new Rig(Rig.budgets(SECOND, Duration.ZERO));
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(Duration.ofDays(3000));
        assertThat(sent.listener().outcomes()).isZero();
        rig.pool = FakeEndpoint.pool(rig.endpoint);
        rig.controller.tick();
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(SECOND);
        assertThat(sent.listener().refused()).isEqualTo(TTL_EXPIRED);
    }

    @Test
    void aPoolThatComesUpGivesAFreshBudget() {
        Rig rig = new Rig(Rig.budgets(SECOND, SECOND.multipliedBy(100)));
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(SECOND.multipliedBy(50));
        rig.pool = FakeEndpoint.pool(rig.endpoint);
        rig.controller.tick();
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(SECOND.minus(NANO));
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(NANO);
        assertThat(sent.listener().refused()).isEqualTo(TTL_EXPIRED);
    }

    @Test
    void aFlipThatShortensTheBudgetIsNotMissed() {
        Rig rig = new Rig(Rig.budgets(SECOND.multipliedBy(1000), SECOND));
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(SECOND.multipliedBy(10));
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        rig.tickAfter(SECOND);
        assertThat(sent.listener().refused()).isEqualTo(NO_ENDPOINTS);
    }

    @Test
    void aFlipBeforeTheRequestCameDoesNotExtendItsBudget() {
        Rig rig = new Rig(Rig.budgets(SECOND, SECOND));
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        rig.pool = FakeEndpoint.pool(rig.endpoint);
        rig.tickAfter(SECOND);
        rig.clock.advance(SECOND);
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(SECOND);
        assertThat(sent.listener().refused()).isEqualTo(TTL_EXPIRED);
    }

    @Test
    void repeatedCyclesInOneRegimeRestartNothing() {
        Rig rig = new Rig(Rig.budgets(SECOND, SECOND));
        Rig.Sent sent = rig.send(0);
        for (int i = 0; i < 100; i++) {
            rig.tickAfter(Duration.ofMillis(10));
            rig.controller.signal();
        }
        assertThat(sent.listener().refused()).isEqualTo(TTL_EXPIRED);
    }

    @Test
    void expiredMeansExpiredAlsoWhenTheGateOpensBeforeTheTick() {
        Rig rig = new Rig(Rig.budgets(SECOND, SECOND));
        Rig.Sent late = rig.send(0);
        rig.clock.advanceMillis(500);
        Rig.Sent inTime = rig.send(0);
        rig.clock.advanceMillis(500);
        rig.open();
        assertThat(late.listener().refused()).isEqualTo(TTL_EXPIRED);
        assertThat(inTime.listener().dispatched()).isTrue();
        assertThat(inTime.listener().waitedNanos()).isEqualTo(500_000_000);
        assertThat(rig.placement.placed()).isOne();
    }

    @Test
    void anExpiryIsToldWhatIsTrueOfThePoolNow() {
        Rig rig = new Rig(Rig.budgets(SECOND, Duration.ofSeconds(100)));
        Rig.Sent sent = rig.send(0);
        rig.clock.advance(SECOND);
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        rig.tickAfter(Duration.ofSeconds(100));
        assertThat(sent.listener().refused()).isEqualTo(NO_ENDPOINTS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1000, 10_000, 0, -5})
    void theRequestOnlyEverShortensItsBandsBudget(long requestMillis) {
        BandConfig two = new BandConfig(0, 10, 1000, Duration.ofSeconds(2).toNanos(), BandConfig.GLOBAL_STRICT, BandConfig.FCFS);
        Rig rig = new Rig(new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, Duration.ofSeconds(5).toNanos(),
                Duration.ofSeconds(60).toNanos(), two, null, List.of(), GateOn.MAX));
        Rig.Sent sent = rig.send(TestRequest.in(0).ttl(Duration.ofMillis(requestMillis)));
        Duration budget = requestMillis == 1000 ? SECOND : SECOND.multipliedBy(2);
        rig.tickAfter(budget.minus(NANO));
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(NANO);
        assertThat(sent.listener().refused()).isEqualTo(TTL_EXPIRED);
    }

    @Test
    void theRequestsBudgetDoesNotTouchThatOfAnEmptyPool() {
        Rig rig = new Rig(Rig.budgets(SECOND.multipliedBy(5), SECOND.multipliedBy(5)));
        rig.pool = PoolView.EMPTY;
        rig.controller.tick();
        Rig.Sent sent = rig.send(TestRequest.in(0).ttl(SECOND));
        rig.tickAfter(SECOND.multipliedBy(2));
        assertThat(sent.listener().outcomes()).isZero();
    }

    @Test
    void aRequestsBudgetShortensAnUnboundedOne() {
        Rig rig = new Rig(Rig.budgets(Duration.ZERO, Duration.ZERO));
        Rig.Sent sent = rig.send(TestRequest.in(0).ttl(SECOND));
        rig.tickAfter(SECOND);
        assertThat(sent.listener().refused()).isEqualTo(TTL_EXPIRED);
    }

    @Test
    void budgetsTooLongToAddAreNotShort() {
        Rig rig = new Rig(Rig.budgets(Duration.ofNanos(Long.MAX_VALUE), SECOND));
        Rig.Sent sent = rig.send(0);
        rig.tickAfter(Duration.ofDays(3650));
        assertThat(sent.listener().outcomes()).isZero();
    }

    @Test
    void requestsOfManyBudgetsEachExpireOnTheTickThatReachesThem() {
        Rig rig = Rig.bands(1000, 0);
        List<Rig.Sent> sent = new ArrayList<>();
        for (int i = 1; i <= 600; i++) {
            sent.add(rig.send(TestRequest.of("f" + i % 7, 0).ttl(Duration.ofMillis(10L * (i * 37 % 601)))));
        }
        for (int tick = 1; tick <= 600; tick++) {
            rig.tickAfter(Duration.ofMillis(10));
            int due = tick;
            assertThat(sent.stream().filter(each -> each.listener().outcomes() == 1).count()).as("tick " + due).isEqualTo(due);
        }
    }

    @Test
    void arrivalsThatAHeldConsumerSeesTooLateAreExpiredAndNotBroken() {
        Rig rig = new Rig(Rig.budgets(Duration.ofMillis(50), SECOND));
        List<Rig.Sent> arrivals = new ArrayList<>();
        rig.gate.open();
        // The first request's own listener runs inside the drainer: what comes meanwhile waits unseen.
        rig.owner = task -> {
            rig.owner = Runnable::run;
            arrivals.addAll(rig.send(1000, 0));
            rig.clock.advanceMillis(200);
            task.run();
        };
        rig.send(0);
        assertThat(arrivals).hasSize(1000).allMatch(sent -> sent.listener().refused() == TTL_EXPIRED);
        assertThat(rig.waiting(0)).isZero();
    }
}
