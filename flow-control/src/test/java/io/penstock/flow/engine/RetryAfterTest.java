package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.RejectReason;
import io.penstock.flow.config.FlowControlConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a request that finds no room is told about coming back (contract section 3, spec/flow-control section 14). */
class RetryAfterTest {

    private final Rig rig = Rig.bands(1, 0, 5);

    @Test
    void withoutAMeasuredRateThereIsNothingToSay() {
        rig.send(0);
        assertThat(refused(rig, 0)).isZero();
        seconds(rig, 100);
        assertThat(refused(rig, 0)).isZero();
    }

    @Test
    void aBandThatDispatchesOnceInFourSecondsSaysFour() {
        dispatch(rig, 0, 1, 4);
        assertThat(refused(rig, 0)).isEqualTo(4);
    }

    @Test
    void theFractionOfASecondIsRoundedUp() {
        dispatch(rig, 0, 2, 5);
        assertThat(refused(rig, 0)).isEqualTo(3);
    }

    @Test
    void aPlaceThatIsFreeWithinASecondNeedsNoWord() {
        dispatch(rig, 0, 5, 4);
        assertThat(refused(rig, 0)).isZero();
    }

    @Test
    void exactlyASecondIsSaid() {
        dispatch(rig, 0, 4, 4);
        assertThat(refused(rig, 0)).isEqualTo(1);
    }

    @Test
    void aRateThatFadesGrowsTheWaitUpToThirtySeconds() {
        dispatch(rig, 0, 1, 1);
        int before = 0;
        rig.send(0);
        for (int i = 0; i < 60; i++) {
            int now = rig.send(0).listener().retryAfter();
            assertThat(now).isBetween(before, 30);
            before = now;
            seconds(rig, 1);
        }
        assertThat(before).isEqualTo(30);
    }

    @Test
    void aBusierPresentRaisesAFadedRateAtOnce() {
        dispatch(rig, 0, 1, 20);
        rig.send(0);
        assertThat(rig.send(0).listener().retryAfter()).isEqualTo(20);
        rig.open();
        rig.gate.close();
        rig.tickAfter(Duration.ofMillis(10));
        assertThat(refused(rig, 0)).isEqualTo(1);
    }

    @Test
    void oneBandsRateIsNotAnothers() {
        dispatch(rig, 5, 1, 4);
        assertThat(refused(rig, 0)).isZero();
        assertThat(refused(rig, 5)).isEqualTo(4);
    }

    @Test
    void aFullGlobalLimitSpeaksForItselfAndTheLongerWaitCountsWhenBothAreFull() {
        Rig global = new Rig(new FlowControlConfig(2, CapacitySnapshot.UNBOUNDED, 0, 0, Rig.band(0, 1),
                null, List.of(Rig.band(5, 1), Rig.band(7, 5)), GateOn.MAX));
        dispatch(global, 5, 1, 10);
        dispatch(global, 7, 4, 10);
        global.send(5);
        int bandAlone = global.send(5).listener().retryAfter();
        assertThat(bandAlone).as("the band is full, the global limit is not").isGreaterThan(10);
        global.send(7);
        int globalAlone = global.send(7).listener().retryAfter();
        assertThat(globalAlone).as("the band has room").isBetween(1, 4);
        assertThat(global.send(5).listener().retryAfter()).as("both are full").isEqualTo(bandAlone);
    }

    @Test
    void otherRefusalsSayNothing() {
        dispatch(rig, 0, 1, 4);
        rig.send(0);
        rig.controller.beginDrain();
        Rig.Sent draining = rig.send(0);
        assertThat(draining.listener().refused()).isEqualTo(RejectReason.SHUTTING_DOWN);
        assertThat(draining.listener().retryAfter()).isZero();
        rig.pool = io.penstock.flow.PoolView.EMPTY;
        assertThat(rig.send(0).listener().retryAfter()).isZero();
        rig.tickAfter(Duration.ofMinutes(2));
        rig.controller.shutdown();
        assertThat(rig.send(0).listener().retryAfter()).isZero();
    }

    /** So many dispatches in one window of so many seconds. */
    private static void dispatch(Rig rig, int priority, int count, int seconds) {
        rig.gate.open();
        for (int i = 0; i < count; i++) {
            assertThat(rig.send(priority).listener().dispatched()).isTrue();
        }
        rig.gate.close();
        seconds(rig, seconds);
    }

    private static void seconds(Rig rig, int seconds) {
        rig.tickAfter(Duration.ofSeconds(seconds));
    }

    /** Fills the band's one place and says what the next one is told; gives the place back. */
    private static int refused(Rig rig, int priority) {
        Rig.Sent first = rig.send(priority);
        Rig.Sent second = rig.send(priority);
        assertThat(second.listener().refused()).isEqualTo(RejectReason.SATURATED);
        first.ticket().cancel();
        return second.listener().retryAfter();
    }
}
