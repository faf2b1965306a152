package io.penstock.proxy.admitter;

import io.penstock.flow.AdmissionRequest;

/** A request as an {@link Admitter} sees it. On the request's event loop only. */
public interface AdmittedRequest extends AdmissionRequest {

    /** The client's objective for each token after the first, in nanoseconds; negative when it has none. */
    long tpotSloNanos();
}
