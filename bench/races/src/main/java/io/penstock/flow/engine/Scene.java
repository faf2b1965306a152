package io.penstock.flow.engine;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowKey;
import io.penstock.flow.GateOn;
import io.penstock.flow.Lease;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Ticket;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A controller with one band and one endpoint that takes so many requests, small enough to be made a million times. What the drainer
 * touches is made safe by its word alone; the counts are atomic, as those of a real endpoint.
 */
final class Scene implements EndpointView, SaturationDetector {

    static final long TTL_NANOS = 1000;

    final AtomicInteger inFlight = new AtomicInteger();
    final FlowController controller;
    volatile int room;
    volatile long now;
    private final PoolView pool = new PoolView(List.of(this), Map.of());

    /** @param room requests that the endpoint takes at a time */
    Scene(int maxRequests, int room) {
        this.room = room;
        BandConfig band = new BandConfig(0, maxRequests, 100, BandConfig.INHERIT, BandConfig.GLOBAL_STRICT, BandConfig.FCFS);
        FlowControlConfig config = new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, TTL_NANOS, TTL_NANOS, band,
                null, List.of(), GateOn.MAX);
        controller = FlowControllers.create(config, Collaborators.of(this, this::place, () -> pool, () -> now));
    }

    Call call(int priority) {
        return new Call(priority);
    }

    /** Waiting requests of a band, -1 when there is no such band. */
    long waiting(int priority) {
        CapacitySnapshot snapshot = controller.capacity().capacitySnapshot(priority);
        return snapshot == null ? -1 : snapshot.requests();
    }

    void open(int requests) {
        room = requests;
        controller.signal();
    }

    void expire() {
        now = TTL_NANOS;
        controller.tick();
    }

    private @Nullable Lease place(AdmissionRequest request) {
        inFlight.incrementAndGet();
        return new Charge();
    }

    private final class Charge implements Lease {
        private final AtomicInteger closed = new AtomicInteger();

        @Override
        public EndpointView endpoint() {
            return Scene.this;
        }

        @Override
        public void close() {
            if (closed.getAndIncrement() == 0) {
                inFlight.decrementAndGet();
                controller.signal();
            }
        }
    }

    /** One request: what it asks for, and what it heard. */
    final class Call implements AdmissionRequest, AdmissionListener {
        final AtomicInteger heard = new AtomicInteger();
        private final FlowKey key;
        volatile int dispatched;
        volatile int band = -1;
        volatile @Nullable RejectReason refused;
        private volatile @Nullable Lease lease;
        private @Nullable Ticket ticket;

        private Call(int priority) {
            this.key = new FlowKey("f", priority);
        }

        Call submit() {
            ticket = controller.submit(this, this, Runnable::run);
            return this;
        }

        /** The engine's own ticket of it. */
        QueuedTicket ticket() {
            return (QueuedTicket) Objects.requireNonNull(ticket);
        }

        boolean cancel() {
            return ticket != null && ticket.cancel();
        }

        void close() {
            Lease held = lease;
            if (held != null) {
                held.close();
            }
        }

        @Override
        public FlowKey flowKey() {
            return key;
        }

        @Override
        public long byteSize() {
            return 1;
        }

        @Override
        public long ttlNanos() {
            return 0;
        }

        @Override
        public long receivedNanos() {
            return 0;
        }

        @Override
        public boolean excludes(EndpointView endpoint) {
            return false;
        }

        @Override
        public void onDispatched(FlowKey effective, Lease charged, long waitedNanos) {
            band = effective.priority();
            lease = charged;
            dispatched++;
            heard.incrementAndGet();
        }

        @Override
        public void onPassed(Lease charged) {
            throw new IllegalStateException("passed");
        }

        @Override
        public void onRefused(RejectReason reason, int retryAfterSeconds) {
            refused = reason;
            heard.incrementAndGet();
        }

        @Override
        public void onEvicted() {
            throw new IllegalStateException("evicted");
        }
    }

    @Override
    public double saturation(List<EndpointView> endpoints, long nowNanos) {
        return inFlight.get() < room ? 0.0 : 1.0;
    }

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        return 0;
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return true;
    }

    @Override
    public String name() {
        return "e";
    }

    @Override
    public int inFlightRequests() {
        return inFlight.get();
    }

    @Override
    public long inFlightTokens() {
        return 0;
    }

    @Override
    public int dispatchedSinceSample() {
        return 0;
    }

    @Override
    public @Nullable EngineSample sample() {
        return null;
    }

    @Override
    public void requestSample() {
    }
}
