package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.HeldExecutor;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Running sheddable requests make room for a blocked band above them (spec/flow-control section 9, cases 62 to 64, FC-31). */
class EvictionTest {

    private static final Duration GRACE = Duration.ofMillis(10);
    private static final int[] BANDS = {0, 5, 10, -1, -2, -5};

    private final Rig rig = new Rig(Rig.config(100, BANDS).withEviction(GRACE.toNanos()));

    @Test
    void aBlockedBandGetsThePlaceOfARunningSheddableRequest() {
        Rig.Sent victim = run(-1);
        Rig.Sent demander = rig.send(10);
        close(1.0);
        assertThat(victim.listener().evictions()).isOne();
        assertThat(demander.listener().outcomes()).isZero();
        rig.gate.open();
        victim.listener().lease().close();
        assertThat(demander.listener().dispatched()).isTrue();
        assertThat(rig.placement.open()).isOne();
        assertThat(rig.events.reclaims()).containsExactly("revoked 10 1", "confirmed 0");
    }

    @Test
    void exactlyAtTheCeilingOneIsToldAndNoMoreUntilItsEndIsConfirmedAndHasCooled() {
        List<Rig.Sent> running = run(5, -1);
        rig.send(3, 0);
        close(1.0);
        assertThat(evicted(running)).containsExactly(4);
        for (int i = 0; i < 10; i++) {
            rig.controller.signal();
        }
        assertThat(evicted(running)).containsExactly(4);
        rig.clock.advanceMillis(50);
        running.get(4).listener().lease().close();
        assertThat(evicted(running)).as("cooling").containsExactly(4);
        assertThat(rig.events.reclaimPending()).isEqualTo(0.2);
        rig.tickAfter(GRACE.minusNanos(1));
        assertThat(evicted(running)).containsExactly(4);
        rig.tickAfter(Duration.ofNanos(1));
        assertThat(evicted(running)).containsExactly(3, 4);
        assertThat(rig.events.reclaims()).containsExactly("revoked 0 1", "confirmed 50", "revoked 0 1");
    }

    @Test
    void asManyAreToldAsMakeUpTheDifferenceAndTwoAtMost() {
        List<Rig.Sent> running = run(10, -1);
        rig.gate.set(1.15);
        rig.send(0);
        assertThat(evicted(running)).as("each of ten is worth 0.115").containsExactly(8, 9);
        assertThat(rig.events.reclaimPending()).isCloseTo(0.23, within(1e-9));
        running.subList(8, 10).forEach(each -> each.listener().lease().close());
        close(4.0);
        rig.tickAfter(GRACE);
        assertThat(evicted(running)).containsExactly(6, 7, 8, 9);
    }

    @Test
    void theLowestPriorityGoesFirstAndOfOnePriorityTheNewest() {
        List<Rig.Sent> running = new ArrayList<>();
        for (int priority : new int[] {-1, -5, -2, -5, -1, -2}) {
            running.add(run(priority));
        }
        rig.send(0);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            close(1.0);
            List<Integer> now = evicted(running);
            now.removeAll(order);
            order.addAll(now);
            now.forEach(each -> running.get(each).listener().lease().close());
            rig.tickAfter(GRACE);
        }
        assertThat(order).containsExactly(3, 1, 5, 2, 4, 0);
    }

    @Test
    void nobodyIsToldForAClosedCeilingAnEqualPriorityAnOpenBandOrAnEmptyQueue() {
        Rig limited = new Rig(Rig.config(100, BANDS).withEviction(0), with -> with.withUsageLimit((saturation, priorities, ceilings) ->
                Arrays.setAll(ceilings, i -> priorities[i] == 10 ? 0.0 : priorities[i] == 5 ? 2.0 : 1.0)));
        limited.gate.open();
        Rig.Sent running = limited.send(-1);
        limited.gate.close();
        limited.controller.tick();
        assertThat(running.listener().evictions()).as("nothing waits").isZero();
        limited.send(10);
        assertThat(running.listener().evictions()).as("a ceiling of zero is not for want of room").isZero();
        limited.send(-1);
        assertThat(running.listener().evictions()).as("an equal priority").isZero();
        limited.placement.limit(0);
        limited.send(5);
        assertThat(running.listener().evictions()).as("an open band that no endpoint takes").isZero();
        limited.send(0);
        assertThat(running.listener().evictions()).as("and now a gated one").isOne();
        assertThat(limited.events.reclaims()).containsExactly("revoked 0 1");
    }

    @Test
    void aVictimAtOrAboveTheDemandStaysEvictable() {
        List<Rig.Sent> running = List.of(run(-1), run(-5));
        rig.gate.set(3.0);
        Rig.Sent demander = rig.send(-1);
        assertThat(evicted(running)).as("two were wanted").containsExactly(1);
        running.get(1).listener().lease().close();
        demander.ticket().cancel();
        rig.tickAfter(GRACE);
        rig.send(0);
        assertThat(evicted(running)).containsExactly(0, 1);
    }

    @Test
    void aHungVictimIsGivenUpAfterTenSecondsAndAGraceAndALateEndDoesNothing() {
        List<Rig.Sent> running = run(3, -1);
        rig.reconfigure(ttlFree());
        rig.send(0);
        close(1.0);
        rig.tickAfter(Duration.ofMillis(9999));
        assertThat(evicted(running)).containsExactly(2);
        rig.tickAfter(Duration.ofMillis(1));
        assertThat(evicted(running)).as("given up, cooling").containsExactly(2);
        assertThat(rig.events.reclaims()).containsExactly("revoked 0 1", "timed out 10000");
        rig.clock.advance(Duration.ofMillis(5));
        running.get(2).listener().lease().close();
        rig.tickAfter(Duration.ofMillis(5));
        assertThat(evicted(running)).containsExactly(1, 2);
        assertThat(rig.events.reclaims()).containsExactly("revoked 0 1", "timed out 10000", "revoked 0 1");
        running.get(2).listener().lease().close();
        assertThat(rig.events.reclaims()).hasSize(3);
    }

    @Test
    void aRequestThatHasEndedIsNoVictimAndOneThatEndsBeforeItHearsIsNotTold() {
        HeldExecutor held = new HeldExecutor();
        rig.owner = held;
        Rig.Sent first = rig.send(-1);
        Rig.Sent second = rig.send(-1);
        rig.open();
        held.runAll();
        rig.gate.set(2.0);
        second.listener().lease().close();
        rig.send(0);
        assertThat(held.size()).as("the first only").isOne();
        first.listener().lease().close();
        held.runAll();
        assertThat(first.listener().evictions() + second.listener().evictions()).isZero();
        assertThat(rig.events.reclaims()).containsExactly("revoked 0 1", "confirmed 0");
    }

    @Test
    void anOwnerThatHasStoppedIsNoObstacleForTheNextVictim() {
        Rig.Sent other = run(-1);
        HeldExecutor stopped = new HeldExecutor();
        rig.owner = stopped;
        Rig.Sent gone = run(-1);
        stopped.runAll();
        stopped.refuse();
        rig.owner = Runnable::run;
        rig.send(0);
        close(1.0);
        assertThat(gone.listener().evictions()).isZero();
        assertThat(other.listener().evictions()).isOne();
        assertThat(rig.events.failures()).containsExactly("executor");
    }

    @Test
    void aNegativeRequestStaysEvictableInTheBandThatItFellBackTo() {
        Rig.Sent fallen = run(-77);
        assertThat(fallen.listener().effective()).isEqualTo(new FlowKey(FlowKey.DEFAULT_FAIRNESS_ID, 0));
        Rig.Sent kept = run(0);
        rig.send(0);
        close(3.0);
        assertThat(fallen.listener().evictions()).isOne();
        assertThat(kept.listener().evictions()).isZero();
    }

    @Test
    void withoutEndpointsNothingIsGainedAndNobodyIsTold() {
        Rig.Sent running = run(-1);
        rig.pool = PoolView.EMPTY;
        rig.send(0);
        close(1.0);
        assertThat(running.listener().evictions()).isZero();
    }

    @Test
    void nobodyIsToldForASaturationThatIsOnlyAssumed() {
        Rig.Sent running = run(-1);
        rig.gate.assume(1.0, Double.NaN);
        rig.send(0);
        assertThat(running.listener().evictions()).as("nothing seen").isZero();
        rig.gate.assume(1.2, 0.9);
        rig.controller.signal();
        assertThat(running.listener().evictions()).as("what is seen would not close it").isZero();
        rig.gate.assume(0.9, 1.2);
        rig.placement.limit(0);
        rig.controller.signal();
        assertThat(running.listener().evictions()).as("open").isZero();
        rig.gate.assume(1.2, 1.0);
        rig.controller.signal();
        assertThat(running.listener().evictions()).isOne();
    }

    @Test
    void aSaturationThatIsNoNumberOrInfiniteTellsNobody() {
        Rig.Sent running = run(-1);
        rig.gate.set(Double.NaN);
        rig.send(0);
        close(Double.POSITIVE_INFINITY);
        assertThat(running.listener().evictions()).isZero();
    }

    @Test
    void switchedOffNothingIsTrackedAndSwitchedOnWhatIsDispatchedFromThen() {
        Rig off = Rig.bands(100, 0, -1);
        off.gate.open();
        Rig.Sent before = off.send(-1);
        assertThat(before.listener().lease()).isNotInstanceOf(Running.class);
        off.reconfigure(Rig.config(100, 0, -1).withEviction(0));
        Rig.Sent after = off.send(-1);
        off.gate.close();
        Rig.Sent waiting = off.send(0);
        assertThat(after.listener().evictions()).isOne();
        assertThat(before.listener().evictions()).isZero();
        off.reconfigure(Rig.config(100, 0, -1));
        assertThat(off.events.reclaimPending()).isZero();
        off.gate.open();
        after.listener().lease().close();
        assertThat(waiting.listener().dispatched()).isTrue();
        assertThat(waiting.listener().lease()).isNotInstanceOf(Running.class);
    }

    @Test
    void aListenerThatThrowsWhenToldIsCountedAndGivenUpInTime() {
        Lease[] lease = new Lease[1];
        rig.gate.open();
        rig.controller.submit(TestRequest.in(-1), new ThrowingWhenTold(lease), Runnable::run);
        rig.send(0);
        close(1.0);
        rig.send(0);
        assertThat(rig.events.failures()).containsExactly("listener");
        rig.tickAfter(Duration.ofSeconds(10));
        assertThat(rig.events.reclaims()).containsExactly("revoked 0 1", "timed out 10000");
        lease[0].close();
        assertThat(rig.placement.open()).isOne();
    }

    /** Keeps its lease and breaks when it is told to stop. */
    private record ThrowingWhenTold(Lease[] lease) implements AdmissionListener {

        @Override
        public void onDispatched(FlowKey effective, Lease charged, long waitedNanos) {
            lease[0] = charged;
        }

        @Override
        public void onPassed(Lease charged) {
        }

        @Override
        public void onRefused(RejectReason reason, int retryAfterSeconds) {
        }

        @Override
        public void onEvicted() {
            throw new IllegalStateException("on purpose");
        }
    }

    private Rig.Sent run(int priority) {
        rig.gate.open();
        Rig.Sent sent = rig.send(priority);
        rig.gate.close();
        return sent;
    }

    private List<Rig.Sent> run(int count, int priority) {
        List<Rig.Sent> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(run(priority));
        }
        return all;
    }

    private void close(double saturation) {
        rig.gate.set(saturation);
        rig.controller.signal();
    }

    private static FlowControlConfig ttlFree() {
        FlowControlConfig all = Rig.config(100, BANDS);
        return new FlowControlConfig(all.maxRequests(), all.maxBytes(), 0, 0, all.defaultBand(), null, all.bands(),
                all.gateOn(), GRACE.toNanos());
    }

    /** The indexes of those that were told to stop. */
    private static List<Integer> evicted(List<Rig.Sent> running) {
        List<Integer> found = new ArrayList<>();
        for (Rig.Sent each : running) {
            RecordingListener listener = each.listener();
            assertThat(listener.evictions()).isLessThanOrEqualTo(1);
            if (listener.evictions() == 1) {
                found.add(running.indexOf(each));
            }
        }
        return found;
    }
}
