package io.penstock.flow;

/**
 * Hears the one outcome of a submitted request. Exactly one of the three methods is called, once, on the executor that was given with the
 * submission; none is called after {@link Ticket#cancel()} has returned true.
 */
public interface AdmissionListener {

    /**
     * The request may run. The lease is the listener's to close, also when its client has gone in the meantime.
     *
     * @param effective the flow that admitted the request: its band differs from the requested one after a fallback (seed 1)
     * @param lease the endpoint, already charged
     * @param waitedNanos from submission to dispatch
     */
    void onDispatched(FlowKey effective, Lease lease, long waitedNanos);

    /**
     * The request may run and was not admitted through flow control, because that is switched off.
     *
     * @param lease the endpoint, already charged
     */
    void onPassed(Lease lease);

    /** The request must not run. Nothing was charged. */
    void onRefused(RejectReason reason);
}
