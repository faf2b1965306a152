package io.penstock.flow.engine;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.SaturationView;
import io.penstock.flow.Ticket;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.engine.Occupancy.Reservation;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Flow control, switched on: finds the band, takes a place in it and leaves the rest to the dispatcher. Any thread, lock-free. */
final class DefaultFlowController implements FlowController, Reconfigurable {

    private final BandRegistry registry;
    private final Ledger ledger;
    private final StageGate gate;
    private final Dispatcher dispatcher;
    private final CapacityReader capacity;
    private volatile boolean draining;

    DefaultFlowController(FlowControlConfig config, Collaborators with) {
        this.registry = new BandRegistry(config, with);
        this.ledger = new Ledger(new CountLimits(config.maxRequests(), config.maxBytes()), with);
        this.gate = new StageGate(with, config.gateOn());
        this.dispatcher = new Dispatcher(config, with, ledger, registry, gate);
        this.capacity = priority -> {
            Band band = registry.table().find(priority);
            return band == null ? null : band.snapshot();
        };
    }

    @Override
    public Ticket submit(AdmissionRequest request, AdmissionListener listener, Executor owner) {
        FlowKey requested = request.flowKey();
        long bytes = Math.max(0, request.byteSize());
        ledger.events.submitted(requested, bytes);
        long now = ledger.clock.getAsLong();
        Band band = registry.table().find(requested.priority());
        Reservation place = band == null ? Reservation.CLOSED : reserve(band, bytes);
        if (place == Reservation.CLOSED || band == null) {
            // Not provisioned, or removed a moment ago. Resolved here, once: the ticket keeps the band that took it.
            ledger.events.fellBack(requested);
            band = registry.table().zero();
            place = reserve(band, bytes);
        }
        boolean admitted = place == Reservation.ADMITTED;
        QueuedTicket ticket = QueuedTicket.of(dispatcher, band, requested, bytes, now, admitted, request, listener, owner);
        if (admitted) {
            dispatcher.arrive(ticket, now);
        } else {
            refuse(ticket, now, place);
        }
        return ticket;
    }

    /** A controller that has stopped has no places. */
    private Reservation reserve(Band band, long bytes) {
        return dispatcher.stopped() ? Reservation.FULL : ledger.reserve(band, bytes);
    }

    private void refuse(QueuedTicket ticket, long now, Reservation why) {
        boolean settled;
        if (dispatcher.stopped()) {
            settled = ticket.refuse(QueuedTicket.SHUT_DOWN, RejectReason.SHUTTING_DOWN, Outcome.REJECTED_OTHER, now, 0);
        } else if (ledger.poolEmpty()) {
            settled = ticket.refuse(QueuedTicket.REFUSED, RejectReason.NO_ENDPOINTS, Outcome.REJECTED_NO_ENDPOINTS, now, 0);
        } else if (draining) {
            // "Saturated" asks the client to come back later, and here there will be no later.
            settled = ticket.refuse(QueuedTicket.REFUSED, RejectReason.SHUTTING_DOWN, Outcome.REJECTED_OTHER, now, 0);
        } else {
            int seconds = ledger.retryAfterSeconds(ticket.band, why, ticket.bytes);
            settled = ticket.refuse(QueuedTicket.REFUSED, RejectReason.SATURATED, Outcome.REJECTED_CAPACITY, now, seconds);
        }
        if (settled) {
            ticket.deliver();
        }
    }

    @Override
    public Ticket resubmit(Ticket earlier, AdmissionRequest request, AdmissionListener listener, Executor owner) {
        if (!(earlier instanceof QueuedTicket dispatched) || dispatched.dispatcher != dispatcher || !dispatched.dispatched()) {
            throw new IllegalArgumentException("earlier: " + earlier + " (expected: a dispatched ticket of this controller)");
        }
        QueuedTicket ticket = dispatched.again(request, listener, owner);
        dispatcher.offer(ticket);
        return ticket;
    }

    @Override
    public void register(Executor executor) {
        dispatcher.combiner().register(executor);
    }

    @Override
    public void signal() {
        dispatcher.combiner().signal();
    }

    @Override
    public void tick() {
        dispatcher.tick();
    }

    @Override
    public void provision(Set<Integer> priorities) {
        registry.want(priorities);
        dispatcher.combiner().signal();
    }

    @Override
    public void reconfigure(FlowControlConfig config, Collaborators with) {
        dispatcher.reconfigure(new Reload(config, with));
    }

    @Override
    public void beginDrain() {
        draining = true;
    }

    @Override
    public void shutdown() {
        dispatcher.stop();
    }

    @Override
    public CapacityReader capacity() {
        return capacity;
    }

    @Override
    public List<BandView> bands() {
        long now = ledger.clock.getAsLong();
        return registry.table().all().stream().map(band -> band.view(now)).toList();
    }

    @Override
    public SaturationView saturation() {
        return gate.view();
    }

    /** For tests. */
    @Nullable Band band(int priority) {
        return registry.table().find(priority);
    }

    /** For tests: 0 at rest. */
    long pendingSignals() {
        return dispatcher.combiner().pending();
    }
}
