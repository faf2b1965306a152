package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowHandle;
import io.penstock.flow.FlowKey;
import io.penstock.flow.GateOn;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Stage;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.policy.Policies;
import io.penstock.flow.policy.StaticUsageLimitPolicy;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.Gate;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A running controller takes another configuration over, and what waits stays. FC-04. */
class ReloadTest {

    private static final long UNBOUNDED = CapacitySnapshot.UNBOUNDED;

    private final Rig rig = Rig.bands(100, 0, 5);

    /** Fewer bytes first, or more bytes first. */
    private record BySize(boolean smallest) implements OrderingPolicy {

        @Override
        public String type() {
            return "by-size";
        }

        @Override
        public long rank(AdmissionRequest request, long submittedNanos, long budgetNanos) {
            return smallest ? request.byteSize() : -request.byteSize();
        }
    }

    @Test
    void aLimitLoweredBelowTheLengthGivesNoHeadroomAndEverybodyKeepsHisPlace() {
        List<Rig.Sent> sent = rig.send(60, 0);
        rig.reconfigure(Rig.config(40, 0, 5));
        assertThat(rig.capacity(0)).isEqualTo(new CapacitySnapshot(40, 60));
        assertThat(rig.capacity(0).headroomRequests()).isZero();
        assertThat(rig.send(0).listener().refused()).isEqualTo(RejectReason.SATURATED);
        sent.subList(0, 20).forEach(each -> each.ticket().cancel());
        assertThat(rig.send(0).listener().refused()).as("exactly at the new limit").isEqualTo(RejectReason.SATURATED);
        sent.get(20).ticket().cancel();
        Rig.Sent last = rig.send(0);
        rig.open();
        assertThat(sent.subList(21, 60)).allMatch(each -> each.listener().dispatched());
        assertThat(last.listener().dispatched()).isTrue();
        assertThat(rig.waiting(0)).isZero();
    }

    @Test
    void aRaisedLimitLetsMoreInAtOnce() {
        rig.reconfigure(Rig.config(1, 0));
        rig.send(2, 0);
        assertThat(rig.waiting(0)).isOne();
        rig.reconfigure(Rig.config(3, 0));
        rig.send(3, 0);
        assertThat(rig.waiting(0)).isEqualTo(3);
    }

    @Test
    void globalLimitsComeAndGoWhileRequestsWaitAndTheCountIsExact() {
        List<Rig.Sent> sent = new ArrayList<>(rig.send(3, 0));
        sent.addAll(rig.send(4, 5));
        rig.reconfigure(global(8, UNBOUNDED));
        sent.add(rig.send(0));
        assertThat(rig.send(5).listener().refused()).as("eight wait").isEqualTo(RejectReason.SATURATED);
        sent.get(0).ticket().cancel();
        sent.add(rig.send(5));
        assertThat(rig.send(5).listener().refused()).isEqualTo(RejectReason.SATURATED);
        rig.reconfigure(global(UNBOUNDED, UNBOUNDED));
        sent.addAll(rig.send(10, 5));
        sent.forEach(each -> each.ticket().cancel());
        rig.reconfigure(global(1, 1));
        assertThat(rig.send(0).listener().outcomes()).isZero();
        assertThat(rig.send(0).listener().refused()).isEqualTo(RejectReason.SATURATED);
    }

    @Test
    void aShorterBudgetHoldsForWhatWaitsAndALongerOneToo() {
        Rig.Sent first = rig.send(0);
        rig.tickAfter(Duration.ofSeconds(5));
        rig.reconfigure(ttl(Duration.ofSeconds(6), Duration.ofSeconds(6)));
        rig.tickAfter(Duration.ofMillis(990));
        assertThat(first.listener().outcomes()).isZero();
        rig.tickAfter(Duration.ofMillis(10));
        assertThat(first.listener().refused()).isEqualTo(RejectReason.TTL_EXPIRED);
        Rig.Sent second = rig.send(0);
        rig.tickAfter(Duration.ofSeconds(1));
        rig.reconfigure(ttl(Duration.ofSeconds(9), Duration.ofSeconds(6)));
        rig.tickAfter(Duration.ofMillis(7990));
        assertThat(second.listener().outcomes()).isZero();
        rig.tickAfter(Duration.ofMillis(10));
        assertThat(second.listener().refused()).isEqualTo(RejectReason.TTL_EXPIRED);
    }

    @Test
    void aBudgetThatIsOverWhenItComesNeverDispatchesAndABudgetOfZeroWaitsForEver() {
        Rig.Sent over = rig.send(0);
        Rig.Sent own = rig.send(TestRequest.in(5).ttl(Duration.ofMinutes(2)));
        rig.clock.advance(Duration.ofSeconds(30));
        rig.gate.open();
        rig.reconfigure(ttl(Duration.ofSeconds(30), Duration.ZERO));
        assertThat(over.listener().refused()).isEqualTo(RejectReason.TTL_EXPIRED);
        assertThat(own.listener().refused()).as("its own only shortens").isEqualTo(RejectReason.TTL_EXPIRED);
        rig.gate.close();
        rig.reconfigure(ttl(Duration.ZERO, Duration.ZERO));
        Rig.Sent forEver = rig.send(0);
        rig.tickAfter(Duration.ofHours(10));
        assertThat(forEver.listener().outcomes()).isZero();
        rig.reconfigure(ttl(Duration.ofHours(10).plusMillis(10), Duration.ZERO));
        rig.controller.tick();
        assertThat(forEver.listener().outcomes()).isZero();
        rig.tickAfter(Duration.ofMillis(10));
        assertThat(forEver.listener().refused()).isEqualTo(RejectReason.TTL_EXPIRED);
    }

    @Test
    void theBudgetOfAnEmptyPoolChangesForWhatWaits() {
        rig.pool = PoolView.EMPTY;
        Rig.Sent sent = rig.send(0);
        rig.controller.tick();
        rig.reconfigure(ttl(Duration.ofSeconds(60), Duration.ofMillis(500)));
        rig.tickAfter(Duration.ofMillis(490));
        assertThat(sent.listener().outcomes()).isZero();
        rig.tickAfter(Duration.ofMillis(10));
        assertThat(sent.listener().refused()).isEqualTo(RejectReason.NO_ENDPOINTS);
    }

    @Test
    void anotherOrderingPutsWhatWaitsIntoItsOrder() {
        List<Long> order = new ArrayList<>();
        long[] sizes = {5, 30, 2, 8, 1, 9};
        for (int i = 0; i < sizes.length; i++) {
            long bytes = sizes[i];
            rig.controller.submit(TestRequest.of("f" + i % 2, 0).bytes(bytes), new RecordingListener(heard -> order.add(bytes)), rig.owner);
        }
        rig.reconfigure(Rig.config(100, 0, 5), with -> with.withPolicies(with.fairness(), name -> new BySize(true)));
        rig.reconfigure(Rig.config(100, 0, 5), with -> with.withPolicies(with.fairness(), name -> new BySize(false)));
        rig.open();
        assertThat(order).containsExactly(30L, 9L, 8L, 5L, 2L, 1L);
    }

    @Test
    void backToArrivalIsTheOrderOfArrivalAgain() {
        Rig sized = new Rig(Rig.config(200, 0), with -> with.withPolicies(Policies::fairness, name -> new BySize(true)));
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int mine = i;
            sized.controller.submit(TestRequest.of("f" + i % 3, 0).bytes(1000 - i), new RecordingListener(heard -> order.add(mine)),
                    sized.owner);
        }
        sized.reconfigure(Rig.config(200, 0), with -> with.withPolicies(with.fairness(), Policies::ordering));
        sized.open();
        assertThat(order).isSorted().hasSize(200);
    }

    @Test
    void aFairnessPolicyIsReplacedWithEverythingThatWaitsAndKeptWhileNothingAboutItChanges() {
        List<Notes> made = new ArrayList<>();
        Function<String, FairnessPolicy> noting = name -> {
            Notes notes = new Notes();
            made.add(notes);
            return notes;
        };
        Rig noted = new Rig(Rig.config(100, 0), with -> with.withPolicies(noting, Policies::ordering));
        List<Rig.Sent> sent = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            sent.add(noted.send(TestRequest.of("f" + i % 3, 0)));
        }
        int before = made.size();
        noted.reconfigure(Rig.config(50, 0));
        assertThat(made).as("the check makes some, the band keeps its own").hasSizeGreaterThan(before);
        assertThat(made.get(before).known).isEmpty();
        noted.reconfigure(Rig.config(50, 0), with -> with.withPolicies(name -> noting.apply(name), Policies::ordering));
        assertThat(made.get(made.size() - 1).known).as("in the order of their arrival").containsExactly("f0", "f1", "f2");
        noted.open();
        assertThat(sent).allMatch(each -> each.listener().dispatched());
        assertThat(made.get(made.size() - 1).known).isEmpty();
    }

    /** First come, first served over all flows; notes which it knows. */
    private static final class Notes implements FairnessPolicy {

        private final FairnessPolicy strict = Policies.fairness(BandConfig.GLOBAL_STRICT);
        private final List<String> known = new ArrayList<>();

        @Override
        public String type() {
            return "notes";
        }

        @Override
        public void activated(FlowHandle flow) {
            known.add(flow.fairnessId());
            strict.activated(flow);
        }

        @Override
        public void deactivated(FlowHandle flow) {
            known.remove(flow.fairnessId());
            strict.deactivated(flow);
        }

        @Override
        public void headChanged(FlowHandle flow) {
            strict.headChanged(flow);
        }

        @Override
        public @Nullable FlowHandle pick() {
            return strict.pick();
        }

        @Override
        public void served(FlowHandle flow, long bytes) {
            strict.served(flow, bytes);
        }

        @Override
        public void setAside(FlowHandle flow) {
            strict.setAside(flow);
        }

        @Override
        public void restore() {
            strict.restore();
        }
    }

    @Test
    void aStaticBandThatIsGoneStaysUntilItIsEmptyThenRequestsForItFallBack() {
        List<Rig.Sent> sent = rig.send(2, 5);
        rig.reconfigure(Rig.config(100, 0));
        assertThat(rig.controller.capacity().capacitySnapshot(5)).isNotNull();
        rig.open();
        assertThat(sent).allMatch(each -> each.listener().effective().equals(new FlowKey(FlowKey.DEFAULT_FAIRNESS_ID, 5)));
        rig.controller.tick();
        assertThat(rig.controller.capacity().capacitySnapshot(5)).isNull();
        assertThat(rig.events.removed()).containsExactly(5);
        assertThat(rig.send(5).listener().effective()).isEqualTo(new FlowKey(FlowKey.DEFAULT_FAIRNESS_ID, 0));
    }

    @Test
    void aBandThatIsStillWantedStaysAndFollowsTheTemplate() {
        rig.controller.provision(Set.of(5, 7));
        rig.reconfigure(Rig.config(Rig.band(0, 33), List.of(Rig.band(9, 4))));
        assertThat(rig.controller.bands()).extracting(BandView::priority).containsExactly(9, 7, 5, 0);
        assertThat(rig.controller.bands()).extracting(BandView::maxRequests).containsExactly(4L, 33L, 33L, 33L);
        rig.controller.provision(Set.of(7, 8));
        assertThat(rig.controller.bands()).extracting(BandView::priority).containsExactly(9, 8, 7, 0);
        assertThat(rig.capacity(8).maxRequests()).isEqualTo(33);
    }

    @Test
    void detectorsStagesAndGateAreSwapped() {
        Gate prefill = Gate.closed();
        Gate decode = Gate.opened();
        rig.pool = FakeEndpoint.pool(new FakeEndpoint("p", "prefill"), new FakeEndpoint("d", "decode"));
        Rig.Sent first = rig.send(0);
        rig.reconfigure(gateOn(GateOn.MAX), with -> with.withStages(Map.of(Stage.PREFILL, prefill, Stage.DECODE, decode)));
        assertThat(first.listener().outcomes()).isZero();
        rig.reconfigure(gateOn(new GateOn(Stage.DECODE)), with -> with.withStages(Map.of(Stage.PREFILL, prefill, Stage.DECODE, decode)));
        assertThat(first.listener().dispatched()).as("dispatched by the reload itself").isTrue();
        rig.reconfigure(gateOn(new GateOn(Stage.PREFILL)), with -> with.withStages(Map.of(Stage.PREFILL, prefill, Stage.DECODE, decode)));
        assertThat(rig.send(0).listener().outcomes()).as("the other stage's gate").isZero();
        rig.reconfigure(gateOn(new GateOn(Stage.DECODE)));
        assertThat(rig.send(0).listener().outcomes()).as("the closed default detector again").isZero();
    }

    @Test
    void theUsageLimitIsSwapped() {
        rig.gate.set(0.9);
        rig.reconfigure(Rig.config(100, 0, 5), with -> with.withUsageLimit(new StaticUsageLimitPolicy(0.5)));
        Rig.Sent sent = rig.send(0);
        assertThat(sent.listener().outcomes()).isZero();
        rig.reconfigure(Rig.config(100, 0, 5));
        assertThat(sent.listener().dispatched()).isTrue();
    }

    @Test
    void aConfigurationThatNamesAnUnknownPolicyChangesNothing() {
        BandConfig typo = new BandConfig(5, 1, 1, 0, "round-robbin", BandConfig.FCFS);
        assertThatThrownBy(() -> rig.reconfigure(Rig.config(Rig.band(0, 1), List.of(typo)))).isInstanceOf(IllegalArgumentException.class);
        assertThat(rig.capacity(5).maxRequests()).isEqualTo(100);
    }

    @Test
    void aPolicyThatCannotBeMadeWhenItsTimeComesChangesNothingAndIsCounted() {
        rig.send(5);
        int[] calls = {0};
        rig.reconfigure(Rig.config(1, 0, 5, 9), with -> with.withPolicies(name -> {
            if (++calls[0] > 5) {
                throw new IllegalStateException("on purpose");
            }
            return Policies.fairness(name);
        }, with.ordering()));
        assertThat(calls[0]).isGreaterThan(5);
        assertThat(rig.events.failures()).containsExactly("reconfigure");
        assertThat(rig.controller.bands()).extracting(BandView::maxRequests).containsExactly(100L, 100L);
        rig.open();
        assertThat(rig.events.count(Outcome.DISPATCHED)).isOne();
    }

    @Test
    void ofSeveralChangesInsideOneTurnTheNewestWins() {
        rig.gate.open();
        rig.placement.beforeReturn(() -> {
            rig.reconfigure(Rig.config(11, 0));
            rig.reconfigure(Rig.config(12, 0));
        });
        rig.send(0);
        assertThat(rig.capacity(0).maxRequests()).isEqualTo(12);
    }

    @Test
    void oldPoliciesAndDetectorsAreLetGo() {
        List<WeakReference<Object>> old = new ArrayList<>();
        Supplier<Gate> remembered = () -> {
            Gate gate = Gate.closed();
            old.add(new WeakReference<>(gate));
            return gate;
        };
        rig.reconfigure(Rig.config(10, 0), with -> {
            Gate gate = remembered.get();
            StaticUsageLimitPolicy limit = new StaticUsageLimitPolicy(0.3);
            old.add(new WeakReference<>(limit));
            return with.withStages(Map.of(Stage.DECODE, gate)).withUsageLimit(limit).withPolicies(name -> {
                Notes notes = new Notes();
                old.add(new WeakReference<>(notes));
                return notes;
            }, with.ordering());
        });
        rig.send(3, 0);
        rig.reconfigure(Rig.config(10, 0));
        Awaitility.await().until(() -> {
            System.gc();
            return old.stream().allMatch(each -> each.get() == null);
        });
        Reference.reachabilityFence(rig);
    }

    @Test
    void withFlowControlOffOnlyTheDetectorIsTakenOver() {
        FlowController shedding = FlowControllers.shedding(rig.with);
        RecordingListener before = new RecordingListener();
        shedding.submit(TestRequest.in(-1), before, rig.owner);
        assertThat(before.refused()).isEqualTo(RejectReason.SATURATED);
        Collaborators open = Collaborators.of(Gate.opened(), rig.placement, () -> rig.pool, rig.clock);
        FlowControllers.reconfigure(shedding, FlowControlConfig.defaults(), open);
        RecordingListener after = new RecordingListener();
        shedding.submit(TestRequest.in(-1), after, rig.owner);
        assertThat(after.passed()).isTrue();
    }

    private static FlowControlConfig global(long maxRequests, long maxBytes) {
        return new FlowControlConfig(maxRequests, maxBytes, FlowControlConfig.DEFAULT_TTL_NANOS, FlowControlConfig.DEFAULT_TTL_NANOS,
                Rig.band(0, 100), null, List.of(Rig.band(5, 100)), GateOn.MAX);
    }

    private static FlowControlConfig ttl(Duration saturation, Duration noEndpoints) {
        return new FlowControlConfig(UNBOUNDED, UNBOUNDED, saturation.toNanos(), noEndpoints.toNanos(), Rig.band(0, 100), null,
                List.of(Rig.band(5, 100)), GateOn.MAX);
    }

    private static FlowControlConfig gateOn(GateOn stage) {
        return new FlowControlConfig(UNBOUNDED, UNBOUNDED, FlowControlConfig.DEFAULT_TTL_NANOS, FlowControlConfig.DEFAULT_TTL_NANOS,
                Rig.band(0, 100), null, List.of(Rig.band(5, 100)), stage);
    }
}
