package io.penstock.flow.engine;

import static io.penstock.flow.RejectReason.TTL_EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.policy.Policies;
import io.penstock.flow.policy.StaticUsageLimitPolicy;
import io.penstock.flow.testkit.HeldExecutor;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a collaborator throws, the word goes back, the failure is counted and the queue goes on. */
class FailureTest {

    private final AtomicBoolean broken = new AtomicBoolean(true);
    private Rig rig = Rig.bands(10, 0);

    @AfterEach
    void theWordWentBack() {
        assertThat(rig.controller.pendingSignals()).isZero();
    }

    @Test
    void aDetectorThatThrowsClosesTheGateAlsoForCeilingsAboveOne() {
        rig = new Rig(Rig.config(10, 0), with -> Collaborators.of(new Throwing(), with.placement(), with.pool(), with.nanoClock())
                .withEvents(with.events()).withUsageLimit(new StaticUsageLimitPolicy(3.0)));
        Rig.Sent sent = rig.send(0);
        assertThat(sent.listener().outcomes()).isZero();
        assertThat(rig.events.failures()).contains("throwing");
        broken.set(false);
        rig.controller.signal();
        assertThat(sent.listener().dispatched()).isTrue();
    }

    @Test
    void aUsageLimitPolicyThatThrowsDispatchesNothingThisTime() {
        rig = new Rig(Rig.config(10, 0), with -> with.withUsageLimit((saturation, priorities, ceilings) -> fail()));
        rig.gate.open();
        Rig.Sent sent = rig.send(0);
        assertThat(sent.listener().outcomes()).isZero();
        assertThat(rig.events.failures()).containsOnly("usage-limit");
        broken.set(false);
        rig.controller.signal();
        assertThat(sent.listener().dispatched()).isTrue();
    }

    @Test
    void aPlacementThatThrowsIsAMissAndTheNextBandIsServed() {
        rig = new Rig(Rig.config(10, 0, 5), with -> with.withPlacement(request -> {
            if (request.flowKey().priority() == 5) {
                fail();
            }
            return with.placement().place(request);
        }));
        Rig.Sent high = rig.send(5);
        Rig.Sent low = rig.send(0);
        rig.open();
        assertThat(low.listener().dispatched()).isTrue();
        assertThat(high.listener().outcomes()).isZero();
        assertThat(rig.events.failures()).containsOnly("placement");
        broken.set(false);
        rig.controller.signal();
        assertThat(high.listener().dispatched()).isTrue();
    }

    @Test
    void aFairnessPolicyThatThrowsClosesItsBandOnly() {
        BandConfig bad = new BandConfig(5, 10, 1000, BandConfig.INHERIT, "bad", BandConfig.FCFS);
        rig = new Rig(Rig.config(Rig.band(0, 10), List.of(bad)), with -> with.withPolicies(
                name -> name.equals("bad") ? new BadFairness() : Policies.fairness(name), Policies::ordering));
        Rig.Sent high = rig.send(5);
        Rig.Sent low = rig.send(0);
        rig.open();
        assertThat(low.listener().dispatched()).isTrue();
        assertThat(high.listener().outcomes()).isZero();
        assertThat(rig.events.failures()).contains("bad");
        rig.tickAfter(Duration.ofSeconds(60));
        assertThat(high.listener().refused()).as("its budget still ends").isEqualTo(TTL_EXPIRED);
        assertThat(rig.waiting(5)).isZero();
    }

    /** A policy that names no flow, and one that names a flow with nothing waiting (spec/flow-control section 12, case 37). */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFairnessPolicyThatPicksNothingToServeLeavesTheTurnToTheNextBand(boolean picksAnEmptyFlow) {
        BandConfig idle = new BandConfig(5, 10, 1000, BandConfig.INHERIT, "idle", BandConfig.FCFS);
        FairnessPolicy policy = new PicksNothing(picksAnEmptyFlow);
        rig = new Rig(Rig.config(Rig.band(0, 10), List.of(idle)), with -> with.withPolicies(
                name -> name.equals("idle") ? policy : Policies.fairness(name), Policies::ordering));
        rig.send(TestRequest.of("left", 5)).ticket().cancel();
        Rig.Sent high = rig.send(5);
        Rig.Sent low = rig.send(0);
        rig.open();
        assertThat(low.listener().dispatched()).isTrue();
        assertThat(high.listener().outcomes()).isZero();
        assertThat(rig.events.failures()).isEmpty();
    }

    @Test
    void anOwnerThatRefusesShutsTheRequestDownAndItsChargeIsGivenBack() {
        HeldExecutor stopped = new HeldExecutor();
        stopped.refuse();
        rig.owner = stopped;
        Rig.Sent gone = rig.send(0);
        rig.owner = Runnable::run;
        Rig.Sent next = rig.send(0);
        rig.open();
        assertThat(gone.listener().outcomes()).isZero();
        assertThat(next.listener().dispatched()).isTrue();
        assertThat(rig.placement.placed()).isEqualTo(2);
        assertThat(rig.placement.open()).isOne();
        assertThat(rig.waiting(0)).isZero();
        assertThat(rig.events.count(Outcome.EVICTED_OTHER)).isOne();
        assertThat(rig.events.count(Outcome.DISPATCHED)).isOne();
        assertThat(gone.ticket().cancel()).isFalse();
    }

    @Test
    void aRefusalThatNobodyTakesIsDroppedQuietly() {
        rig = Rig.bands(1, 0);
        rig.send(0);
        HeldExecutor stopped = new HeldExecutor();
        stopped.refuse();
        rig.owner = stopped;
        assertThat(rig.send(0).listener().outcomes()).isZero();
        assertThat(rig.events.failures()).containsExactly("executor");
    }

    @Test
    void aListenerThatThrowsLosesItsChargeAndNobodyElseNotices() {
        rig.gate.open();
        rig.controller.submit(TestRequest.in(0), new AdmissionListener() {
            @Override
            public void onDispatched(FlowKey effective, Lease lease, long waitedNanos) {
                fail();
            }

            @Override
            public void onPassed(Lease lease) {
            }

            @Override
            public void onEvicted() {
            }

            @Override
            public void onRefused(RejectReason reason, int retryAfterSeconds) {
            }
        }, Runnable::run);
        assertThat(rig.placement.open()).isZero();
        assertThat(rig.events.failures()).containsExactly("listener");
        assertThat(rig.send(0).listener().dispatched()).isTrue();
    }

    @Test
    void anExecutorThatTakesNoTurnLeavesItToTheNextAndAtLastToTheCaller() {
        HeldExecutor stopped = new HeldExecutor();
        stopped.refuse();
        rig = Rig.bands(1000, 0);
        rig.controller.register(stopped);
        rig.controller.register(stopped);
        rig.send(500, 0);
        rig.open();
        assertThat(rig.placement.placed()).isEqualTo(500);
    }

    @Test
    void anExecutorThatRunsATurnAtOnceDoesNotPileUpFrames() {
        rig = Rig.bands(200_000, 0);
        rig.controller.register(Runnable::run);
        rig.send(200_000, 0);
        rig.open();
        assertThat(rig.placement.placed()).isEqualTo(200_000);
        assertThat(rig.events.failures()).isEmpty();
    }

    @Test
    void anUnknownPolicyIsRefusedWhenTheControllerIsMade() {
        BandConfig typo = new BandConfig(1, 1, 1, 0, "global-strict-fairnes-policy", BandConfig.FCFS);
        Collaborators with = Collaborators.of(rig.gate, rig.placement, () -> rig.pool, rig.clock);
        assertThatThrownBy(() -> FlowControllers.create(Rig.config(typo, List.of(Rig.band(0, 1))), with))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("fairnessPolicyRef: global-strict-fairnes-policy (expected: one of global-strict-fairness-policy,");
    }


    private void fail() {
        if (broken.get()) {
            throw new IllegalStateException("on purpose");
        }
    }

    private final class Throwing implements SaturationDetector {

        @Override
        public String name() {
            return "throwing";
        }

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            fail();
            return 0;
        }

        @Override
        public double load(EndpointView endpoint, long nowNanos) {
            return 0;
        }

        @Override
        public boolean fits(EndpointView endpoint) {
            return true;
        }
    }

    private static final class PicksNothing implements FairnessPolicy {

        private final boolean empty;
        private @Nullable FlowHandle left;

        PicksNothing(boolean empty) {
            this.empty = empty;
        }

        @Override
        public String type() {
            return "idle";
        }

        @Override
        public void activated(FlowHandle flow) {
        }

        @Override
        public void deactivated(FlowHandle flow) {
            left = flow;
        }

        @Override
        public void headChanged(FlowHandle flow) {
        }

        @Override
        public @Nullable FlowHandle pick() {
            return empty ? left : null;
        }

        @Override
        public void served(FlowHandle flow, long bytes) {
        }

        @Override
        public void setAside(FlowHandle flow) {
        }

        @Override
        public void restore() {
        }
    }

    private static final class BadFairness implements FairnessPolicy {

        @Override
        public String type() {
            return "bad";
        }

        @Override
        public void activated(FlowHandle flow) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void deactivated(FlowHandle flow) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void headChanged(FlowHandle flow) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public @Nullable FlowHandle pick() {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void served(FlowHandle flow, long bytes) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void setAside(FlowHandle flow) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void restore() {
            throw new IllegalStateException("on purpose");
        }
    }
}
