package io.penstock.proxy.request;

import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;

/** Where a request's outcome of admission goes: the admission handler of its event loop. Called on that loop. */
public interface AdmissionOutcome {

    /** Flow control admitted the request and charged an endpoint for it. */
    void dispatched(RequestContext context, FlowKey effective, Lease lease, long waitedNanos);

    /** Flow control is off; an endpoint is charged. */
    void passed(RequestContext context, Lease lease);

    /** The request must not run. */
    void refused(RequestContext context, RejectReason reason);

    /** The request runs and must stop; it may have ended in the meantime. */
    void evicted(RequestContext context);
}
