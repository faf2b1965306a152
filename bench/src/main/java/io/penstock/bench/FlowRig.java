package io.penstock.bench;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowKey;
import io.penstock.flow.GateOn;
import io.penstock.flow.Lease;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.engine.FlowControllers;
import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A controller over one endpoint that takes as many requests as it is told: the detector, the placement and the leases cost next to
 * nothing, so that what is measured is flow control. Any thread.
 */
final class FlowRig {

    static final String GLOBAL_STRICT = BandConfig.GLOBAL_STRICT;
    static final AdmissionListener CLOSING = new Closing();

    final Tap tap = new Tap();
    final FlowController controller;
    volatile PoolView pool = new PoolView(List.of(tap), Map.of());

    /** @param bands priorities 0 to {@code bands - 1}, without limits and without budgets */
    FlowRig(int bands, String fairness) {
        this(bands, fairness, 0);
    }

    FlowRig(int bands, String fairness, long ttlNanos) {
        List<BandConfig> all = new ArrayList<>();
        for (int i = 0; i < bands; i++) {
            all.add(new BandConfig(i, CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, BandConfig.INHERIT, fairness,
                    BandConfig.FCFS));
        }
        FlowControlConfig config = new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, ttlNanos, ttlNanos,
                all.get(0), null, all, GateOn.MAX);
        PolicySet policies = PolicySet.of(Stream.of("round-robin-fairness-policy", "weighted-fairness-policy")
                .map(type -> new PolicySpec(type, type, Map.of())).toList(), System::nanoTime);
        controller = FlowControllers.create(config, Collaborators.of(tap, tap::place, () -> pool, System::nanoTime)
                .withPolicies(policies::fairness, policies::ordering));
    }

    static AdmissionRequest[] requests(int bands, int flows) {
        AdmissionRequest[] requests = new AdmissionRequest[flows];
        for (int i = 0; i < flows; i++) {
            requests[i] = new Request(new FlowKey("tenant-" + i, i % bands));
        }
        return requests;
    }

    /** A request of 500 bytes without a budget of its own. */
    record Request(FlowKey flowKey) implements AdmissionRequest {

        @Override
        public long byteSize() {
            return 500;
        }

        @Override
        public long receivedNanos() {
            return 0;
        }

        @Override
        public long ttlNanos() {
            return 0;
        }

        @Override
        public boolean excludes(EndpointView endpoint) {
            return false;
        }
    }

    private static final class Closing implements AdmissionListener {

        @Override
        public void onDispatched(FlowKey effective, Lease lease, long waitedNanos) {
            lease.close();
        }

        @Override
        public void onPassed(Lease lease) {
            lease.close();
        }

        @Override
        public void onRefused(RejectReason reason, int retryAfterSeconds) {
            if (reason == RejectReason.SATURATED || reason == RejectReason.INTERNAL) {
                throw new IllegalStateException("refused: " + reason);
            }
        }

        @Override
        public void onEvicted() {
            throw new IllegalStateException("evicted");
        }
    }

    /** Lets through what it is told to. */
    static final class Tap extends OneEndpoint {

        private final AtomicInteger allowed = new AtomicInteger();

        /** So many more may go. */
        void allow(int requests) {
            allowed.addAndGet(requests);
        }

        /** What may go and has not gone yet. */
        int owed() {
            return allowed.get();
        }

        void shut() {
            allowed.set(0);
        }

        Lease place(AdmissionRequest request) {
            allowed.decrementAndGet();
            return this;
        }

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            return allowed.get() > 0 ? 0.0 : 1.0;
        }
    }
}
