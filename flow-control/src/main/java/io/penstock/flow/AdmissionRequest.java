package io.penstock.flow;

/**
 * What flow control needs to know of one request. The proxy's request context implements it, so that no object is made for it.
 * Every value is fixed before the request is submitted and read by the drainer on any thread afterwards.
 */
public interface AdmissionRequest {

    /** The flow that the client asked for; its band may be missing, then band 0 takes the request. */
    FlowKey flowKey();

    /** Body bytes that count against {@code maxBytes}, 0 or more. */
    long byteSize();

    /** The caller's own queue-wait budget in nanoseconds; it only ever shortens the band's. 0 means none. */
    long ttlNanos();

    /** Whether this endpoint has already failed this request, so that a replay goes to another one. */
    boolean excludes(EndpointView endpoint);
}
