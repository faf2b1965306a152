package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.policy.StaticUsageLimitPolicy;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.HeldExecutor;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who runs next: spec/flow-control section 12, cases 19 and 35 to 43. */
class DispatchTest {

    private final List<String> order = new ArrayList<>();

    @Test
    void anOpenGateDispatchesAtOnceAndSaysWhere() {
        Rig rig = Rig.bands(10, 0, 5);
        rig.gate.open();
        Rig.Sent sent = rig.send(TestRequest.of("tenant", 5));
        assertThat(sent.listener().effective()).isEqualTo(new FlowKey("tenant", 5));
        assertThat(sent.listener().lease().endpoint()).isSameAs(rig.endpoint);
        assertThat(sent.listener().waitedNanos()).isZero();
        assertThat(sent.listener().outcomes()).isOne();
        assertThat(sent.ticket().cancel()).isFalse();
        assertThat(rig.events.count(Outcome.DISPATCHED)).isOne();
    }

    @Test
    void theListenerRunsOnItsOwnerAndNotInsideSubmit() {
        Rig rig = Rig.bands(10, 0);
        HeldExecutor loop = new HeldExecutor();
        rig.owner = loop;
        rig.gate.open();
        Rig.Sent sent = rig.send(0);
        assertThat(sent.listener().outcomes()).isZero();
        loop.runAll();
        assertThat(sent.listener().dispatched()).isTrue();
    }

    @Test
    void aClosedGateHoldsEveryBand() {
        Rig rig = Rig.bands(10, 0, 5);
        rig.send(3, 5);
        rig.send(3, 0);
        rig.controller.signal();
        assertThat(rig.placement.asked()).isZero();
    }

    @Test
    void everythingOfAHigherBandLeavesBeforeAnythingOfALowerOne() {
        Rig rig = Rig.bands(10, -3, 0, 5);
        for (int i = 0; i < 3; i++) {
            note(rig, "low" + i, -3);
            note(rig, "mid" + i, 0);
            note(rig, "high" + i, 5);
        }
        rig.open();
        assertThat(order).containsExactly("high0", "high1", "high2", "mid0", "mid1", "mid2", "low0", "low1", "low2");
    }

    @Test
    void aHigherArrivalDuringATurnIsServedNext() {
        Rig rig = Rig.bands(10, 0, 5);
        rig.owner = task -> {
            task.run();
            if (order.size() == 1) {
                note(rig, "high", 5);
            }
        };
        note(rig, "a", 0);
        note(rig, "b", 0);
        rig.open();
        assertThat(order).containsExactly("a", "high", "b");
    }

    @Test
    void saturationEqualToTheCeilingCloses() {
        Rig rig = new Rig(Rig.config(10, 0), with -> with.withUsageLimit(new StaticUsageLimitPolicy(0.5)));
        rig.gate.set(0.5);
        Rig.Sent sent = rig.send(0);
        assertThat(sent.listener().outcomes()).isZero();
        rig.gate.set(Math.nextDown(0.5));
        rig.controller.signal();
        assertThat(sent.listener().dispatched()).isTrue();
    }

    @Test
    void aSaturationThatIsNoNumberCloses() {
        Rig rig = new Rig(Rig.config(10, 0), with -> with.withUsageLimit(new StaticUsageLimitPolicy(5.0)));
        rig.gate.set(Double.NaN);
        rig.send(0);
        assertThat(rig.placement.asked()).isZero();
    }

    @Test
    void aSaturatedHighBandBlocksALowOneUnderEqualCeilings() {
        Rig rig = Rig.bands(10, 0, 5);
        rig.gate.set(1.0);
        rig.send(5);
        Rig.Sent low = rig.send(0);
        assertThat(low.listener().outcomes()).isZero();
    }

    @Test
    void anEmptyBandWithAClosedCeilingDoesNotBlockThoseBelow() {
        Rig rig = new Rig(Rig.config(10, 0, 5), with -> with.withUsageLimit((saturation, priorities, ceilings) -> {
            ceilings[0] = 0.2;
            ceilings[1] = 0.2;
            for (int i = 0; i < priorities.length; i++) {
                ceilings[i] = priorities[i] == 5 ? 0.0 : 1.0;
            }
        }));
        rig.gate.set(0.5);
        assertThat(rig.send(0).listener().dispatched()).isTrue();
    }

    @Test
    void thePolicySeesEveryBandHighestFirstOncePerDecision() {
        List<int[]> seen = new ArrayList<>();
        Rig rig = new Rig(Rig.config(10, -2, 9), with -> with.withUsageLimit((saturation, priorities, ceilings) -> {
            seen.add(priorities.clone());
            assertThat(ceilings).containsOnly(1.0).hasSameSizeAs(priorities);
        }));
        rig.send(0);
        assertThat(seen).containsExactly(new int[] {9, 0, -2});
    }

    @Test
    void nothingWaitingAsksNoDetector() {
        AtomicInteger asked = new AtomicInteger();
        Rig rig = new Rig(Rig.config(10, 0), with -> with.withUsageLimit((saturation, priorities, ceilings) -> asked.incrementAndGet()));
        rig.controller.signal();
        rig.controller.tick();
        assertThat(asked).hasValue(0);
        assertThat(rig.events.decisions()).isZero();
        assertThat(rig.events.effective()).as("refreshed on the tick").isEqualTo(1.0);
    }

    @Test
    void endpointsThatGoStopDispatchAndEndpointsThatComeResumeIt() {
        Rig rig = Rig.bands(10, 0);
        rig.gate.open();
        rig.pool = PoolView.EMPTY;
        Rig.Sent sent = rig.send(0);
        assertThat(sent.listener().outcomes()).isZero();
        rig.pool = FakeEndpoint.pool(rig.endpoint);
        rig.controller.signal();
        assertThat(sent.listener().dispatched()).isTrue();
    }

    @Test
    void aRequestThatFindsEveryEndpointFullStaysAtTheHead() {
        Rig rig = Rig.bands(10, 0);
        rig.placement.limit(1);
        note(rig, "a", 0);
        note(rig, "b", 0);
        note(rig, "c", 0);
        rig.open();
        assertThat(order).containsExactly("a");
        assertThat(rig.waiting(0)).isEqualTo(2);
        assertThat(rig.placement.most()).isOne();
    }

    @Test
    void aClosedLeaseDispatchesTheNextInOrderAndNeverTwoAtOnce() {
        Rig rig = Rig.bands(10, 0);
        rig.placement.limit(1);
        List<Rig.Sent> sent = rig.send(5, 0);
        rig.open();
        for (Rig.Sent each : sent) {
            assertThat(each.listener().dispatched()).isTrue();
            each.listener().lease().close();
        }
        assertThat(rig.placement.most()).isOne();
        assertThat(rig.placement.open()).isZero();
    }

    @Test
    void aHeadThatFitsNowhereLetsTheNextFlowAndThenTheNextBandGo() {
        FakeEndpoint other = new FakeEndpoint("e2");
        Rig rig = Rig.bands(10, 0, 5);
        rig.pool = FakeEndpoint.pool(rig.endpoint, other);
        other.requests(1);
        rig.placement.limit(1);
        Rig.Sent picky = rig.send(TestRequest.of("picky", 5).excluding("e1"));
        Rig.Sent behind = rig.send(TestRequest.of("picky", 5));
        Rig.Sent easy = rig.send(TestRequest.of("easy", 5));
        rig.open();
        assertThat(picky.listener().outcomes()).isZero();
        assertThat(behind.listener().outcomes()).as("behind its flow's head").isZero();
        assertThat(easy.listener().dispatched()).isTrue();
        other.requests(0);
        rig.controller.signal();
        assertThat(picky.listener().dispatched()).as("kept its place").isTrue();
    }

    @Test
    void aBandWhoseHeadsFitNowhereIsNotWalkedToItsEnd() {
        Rig rig = Rig.bands(1000, 0, 5);
        rig.placement.limit(1);
        for (int i = 0; i < 500; i++) {
            rig.send(TestRequest.of("f" + i, 5).excluding("e1"));
        }
        Rig.Sent low = rig.send(0);
        rig.open();
        assertThat(low.listener().dispatched()).isTrue();
        assertThat(rig.placement.asked()).isEqualTo(2 * Dispatcher.MISSES + 1);
    }

    @Test
    void ceilingsAboveOneLoadThePoolPastItsSetPoint() {
        Rig rig = new Rig(Rig.config(10, 0), with -> with.withUsageLimit(new StaticUsageLimitPolicy(2.0)));
        rig.gate.set(1.5);
        assertThat(rig.send(0).listener().dispatched()).isTrue();
    }

    @Test
    void aLongBacklogIsPassedOnToTheNextExecutorInTurns() {
        Rig rig = Rig.bands(1000, 0);
        HeldExecutor first = new HeldExecutor();
        HeldExecutor second = new HeldExecutor();
        rig.controller.register(first);
        rig.controller.register(second);
        rig.send(150, 0);
        rig.open();
        assertThat(rig.placement.placed()).isEqualTo(64);
        assertThat(first.size() + second.size()).isOne();
        rig.controller.signal();
        assertThat(rig.placement.placed()).as("the word was not given back").isEqualTo(64);
        (first.size() == 1 ? first : second).runOne();
        assertThat(rig.placement.placed()).isEqualTo(128);
        assertThat(first.size() + second.size()).isOne();
        (first.size() == 1 ? first : second).runOne();
        assertThat(rig.placement.placed()).isEqualTo(150);
        assertThat(rig.controller.pendingSignals()).isZero();
    }

    private void note(Rig rig, String name, int priority) {
        rig.controller.submit(TestRequest.of(name, priority), new RecordingListener(listener -> order.add(name)), rig.owner);
    }
}
