package io.penstock.flow;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Admits requests. Every method may be called from any thread and none blocks; the host calls {@link #tick()} about every 10 ms, and
 * {@link #signal()} whenever something that the gate depends on has changed.
 */
public interface FlowController {

    /**
     * Takes a request. The listener is never called from inside this method's own frame, only through {@code owner}.
     *
     * @param owner where the listener runs; the submitting connection's event loop. The task that it is given is the ticket itself, so
     *         that it can tell by {@link Ticket#dispatched()} what it will hear.
     */
    Ticket submit(AdmissionRequest request, AdmissionListener listener, Executor owner);

    /**
     * Takes back a request that was dispatched and whose endpoint failed before it could do any work. It waits at the head of the band
     * that admitted it, is not counted against the band's limits, keeps its first submission time and its budget, and is dispatched
     * through the same gate.
     *
     * <p>Its lease is closed after this call, not before: a place that is free before goes to the next in line.
     *
     * <p>{@link FlowEvents} counts the request once, with the outcome of its first submission.
     *
     * @param earlier the ticket that was dispatched
     * @throws IllegalArgumentException when {@code earlier} was not dispatched, or by another controller
     */
    Ticket resubmit(Ticket earlier, AdmissionRequest request, AdmissionListener listener, Executor owner);

    /** Makes an executor known, to which a long turn of the drainer may be handed. Called once per event loop, before any request. */
    void register(Executor executor);

    /** Something changed: a lease was closed, a sample came in, the pool's membership changed. */
    void signal();

    /** Expires what has waited too long and refreshes gauges. */
    void tick();

    /**
     * Provisions one band per priority from the templates; a band that is neither static nor wanted goes when its last request has gone
     * (spec/flow-control section 2.1).
     */
    void provision(Set<Integer> priorities);

    /**
     * The process is going to stop. What waits keeps its budget and what still comes on open connections is still admitted; only a request
     * that finds no place is told {@link RejectReason#SHUTTING_DOWN} instead of {@link RejectReason#SATURATED}, so that it goes elsewhere.
     */
    void beginDrain();

    /** Settles everything that waits as {@link RejectReason#SHUTTING_DOWN}, and everything that comes. */
    void shutdown();

    /** The live counts behind the headroom header. */
    CapacityReader capacity();

    /** What an operator sees: all bands, highest first. Weakly consistent between bands. */
    List<BandView> bands();

    /** The saturation that gates dispatch at this moment, and its parts. */
    SaturationView saturation();
}
