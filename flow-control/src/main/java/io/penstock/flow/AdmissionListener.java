package io.penstock.flow;

/**
 * Hears the one outcome of a submitted request: exactly one of {@link #onDispatched}, {@link #onPassed} and {@link #onRefused} is called,
 * once, on the executor that was given with the submission; none is called after {@link Ticket#cancel()} has returned true. A dispatched
 * request may later hear {@link #onEvicted}.
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

    /**
     * The request must not run. Nothing was charged.
     *
     * @param retryAfterSeconds when a place is expected to be free, 1 to 30; 0 where there is nothing to say, which is always so but for
     *         {@link RejectReason#SATURATED} (contract section 3)
     */
    void onRefused(RejectReason reason, int retryAfterSeconds);

    /**
     * The request runs and must stop, for a band above it is blocked (spec/flow-control section 9). Called at most once, on the same
     * executor, after {@link #onDispatched}; it may come when the request has ended, and then means nothing. Closing the lease confirms it.
     */
    void onEvicted();
}
