package io.penstock.flow.engine;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.Lease;
import io.penstock.flow.Placement;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.SaturationView;
import io.penstock.flow.Ticket;
import io.penstock.flow.config.FlowControlConfig;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * Flow control, switched off (spec/flow-control section 8): no band, no queue, no budget. A request of priority 0 or more passes; one below
 * is refused while the default detector finds the whole pool at 1.0 or above. Any thread; the detector and the placement are the drainer's
 * here too, since neither is made for two callers at once.
 */
final class SheddingController implements FlowController, Reconfigurable, Combiner.Work {

    private static final double SATURATED = 1.0;
    private static final int CHUNK = 1024;

    private volatile SaturationDetector detector;
    private final Placement placement;
    private final Supplier<PoolView> pool;
    private final LongSupplier clock;
    private final FlowEvents events;
    private final Combiner combiner = new Combiner(this);
    private final MpscUnboundedAtomicArrayQueue<PassTicket> ingress = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
    private volatile boolean stopped;
    private volatile boolean ticked;
    private volatile double saturation = SATURATED;

    SheddingController(Collaborators with) {
        this.detector = with.defaultDetector();
        this.placement = with.placement();
        this.pool = with.pool();
        this.clock = with.nanoClock();
        this.events = with.events();
    }

    @Override
    public Ticket submit(AdmissionRequest request, AdmissionListener listener, Executor owner) {
        return take(request, request.flowKey().priority() < 0, listener, owner);
    }

    /** It has been let through once, so it is not shed now. */
    @Override
    public Ticket resubmit(Ticket earlier, AdmissionRequest request, AdmissionListener listener, Executor owner) {
        return take(request, false, listener, owner);
    }

    private Ticket take(AdmissionRequest request, boolean sheddable, AdmissionListener listener, Executor owner) {
        PassTicket ticket = new PassTicket(request, sheddable, listener, owner, events);
        ingress.offer(ticket);
        combiner.signal();
        return ticket;
    }

    @Override
    public boolean step(boolean changed) {
        if (ticked) {
            ticked = false;
            measure(pool.get());
        }
        PassTicket ticket = ingress.relaxedPoll();
        if (ticket == null) {
            return false;
        }
        if (ticket.waiting()) {
            decide(ticket);
        }
        return true;
    }

    private void decide(PassTicket ticket) {
        if (stopped) {
            ticket.refuse(RejectReason.SHUTTING_DOWN);
            return;
        }
        PoolView members = pool.get();
        if (ticket.sheddable && !(measure(members) < SATURATED)) {
            ticket.refuse(RejectReason.SATURATED);
            return;
        }
        if (members.isEmpty()) {
            ticket.refuse(RejectReason.NO_ENDPOINTS);
            return;
        }
        try {
            Lease lease = placement.place(ticket.request);
            if (lease == null) {
                ticket.refuse(RejectReason.SATURATED);
            } else {
                ticket.pass(lease);
            }
        } catch (Throwable broken) {
            events.failed("placement", broken);
            ticket.refuse(RejectReason.INTERNAL);
        }
    }

    private double measure(PoolView members) {
        SaturationDetector detector = this.detector;
        double value = SATURATED;
        try {
            value = detector.saturation(members.endpoints(), clock.getAsLong());
        } catch (Throwable broken) {
            events.failed(detector.name(), broken);
        }
        saturation = value;
        return value;
    }

    @Override
    public void failed(Throwable cause) {
        events.failed("decision", cause);
    }

    @Override
    public void register(Executor executor) {
        combiner.register(executor);
    }

    @Override
    public void signal() {
        combiner.signal();
    }

    @Override
    public void tick() {
        ticked = true;
        combiner.signal();
    }

    @Override
    public void reconfigure(FlowControlConfig config, Collaborators with) {
        detector = with.defaultDetector();
        combiner.signal();
    }

    /** There are no bands. */
    @Override
    public void provision(Set<Integer> priorities) {
    }

    /** Nothing waits. */
    @Override
    public void beginDrain() {
    }

    @Override
    public void shutdown() {
        stopped = true;
        combiner.signal();
    }

    @Override
    public CapacityReader capacity() {
        return priority -> null;
    }

    @Override
    public List<BandView> bands() {
        return List.of();
    }

    @Override
    public SaturationView saturation() {
        return new SaturationView(null, null, saturation);
    }
}
