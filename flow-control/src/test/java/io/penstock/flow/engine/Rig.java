package io.penstock.flow.engine;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.PoolView;
import io.penstock.flow.Ticket;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.FakePlacement;
import io.penstock.flow.testkit.Gate;
import io.penstock.flow.testkit.ManualClock;
import io.penstock.flow.testkit.RecordingEvents;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/** A controller with everything around it in a test's hand: a closed gate, one endpoint, a manual clock, listeners run at once. */
final class Rig {

    final ManualClock clock = new ManualClock();
    final Gate gate = Gate.closed();
    final FakeEndpoint endpoint = new FakeEndpoint("e1");
    final RecordingEvents events = new RecordingEvents();
    final FakePlacement placement = new FakePlacement(() -> this.pool);
    final Collaborators with;
    final DefaultFlowController controller;
    volatile PoolView pool = FakeEndpoint.pool(endpoint);
    Executor owner = Runnable::run;

    /** A request and what was heard of it. */
    record Sent(AdmissionRequest request, RecordingListener listener, Ticket ticket) {
    }

    Rig(FlowControlConfig config, UnaryOperator<Collaborators> with) {
        this.with = with.apply(Collaborators.of(gate, placement, () -> pool, clock).withEvents(events));
        this.controller = new DefaultFlowController(config, this.with);
        placement.onClose(controller::signal);
    }

    Rig(FlowControlConfig config) {
        this(config, UnaryOperator.identity());
    }

    /** Bands with these priorities and room for so many requests each, band 0 included. */
    static Rig bands(int maxRequests, int... priorities) {
        return new Rig(config(maxRequests, priorities));
    }

    static FlowControlConfig config(int maxRequests, int... priorities) {
        List<BandConfig> bands = new ArrayList<>();
        for (int priority : priorities) {
            bands.add(band(priority, maxRequests));
        }
        return config(band(0, maxRequests), bands);
    }

    static FlowControlConfig config(BandConfig template, List<BandConfig> bands) {
        return new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, FlowControlConfig.DEFAULT_TTL_NANOS,
                FlowControlConfig.DEFAULT_TTL_NANOS, template, null, bands, GateOn.MAX);
    }

    static FlowControlConfig budgets(Duration saturation, Duration noEndpoints) {
        return new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, saturation.toNanos(), noEndpoints.toNanos(),
                BandConfig.defaults(0), null, List.of(), GateOn.MAX);
    }

    static BandConfig band(int priority, long maxRequests) {
        return new BandConfig(priority, maxRequests, BandConfig.DEFAULT_MAX_BYTES, BandConfig.INHERIT, BandConfig.GLOBAL_STRICT,
                BandConfig.FCFS);
    }

    Sent send(AdmissionRequest request) {
        RecordingListener listener = new RecordingListener();
        return new Sent(request, listener, controller.submit(request, listener, owner));
    }

    Sent send(int priority) {
        return send(TestRequest.in(priority));
    }

    List<Sent> send(int count, int priority) {
        List<Sent> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(send(priority));
        }
        return all;
    }

    Sent again(Sent earlier, AdmissionRequest request) {
        RecordingListener listener = new RecordingListener();
        return new Sent(request, listener, controller.resubmit(earlier.ticket(), request, listener, owner));
    }

    void reconfigure(FlowControlConfig config) {
        FlowControllers.reconfigure(controller, config, with);
    }

    void reconfigure(FlowControlConfig config, UnaryOperator<Collaborators> change) {
        FlowControllers.reconfigure(controller, config, change.apply(with));
    }

    /** Opens the gate and lets everything through that may go. */
    void open() {
        gate.open();
        controller.signal();
    }

    void tickAfter(Duration time) {
        clock.advance(time);
        controller.tick();
    }

    CapacitySnapshot capacity(int priority) {
        return Objects.requireNonNull(controller.capacity().capacitySnapshot(priority));
    }

    long waiting(int priority) {
        return capacity(priority).requests();
    }

    void setLimit(int priority, long maxRequests) {
        Objects.requireNonNull(controller.band(priority)).setLimits(maxRequests, CapacitySnapshot.UNBOUNDED);
    }
}
