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

    /** When the request's head was there, on the controller's clock. */
    long receivedNanos();

    /**
     * The client's objective for the first token, in nanoseconds from {@link #receivedNanos()}; negative when it has none. Zero is an
     * objective.
     */
    default long ttftSloNanos() {
        return -1;
    }

    /** Estimated tokens of the prompt, 0 or more; 0 where nothing counts them. */
    default long promptTokens() {
        return 0;
    }

    /** The most tokens that the client lets the server produce; negative when it says nothing. */
    default long maxOutputTokens() {
        return -1;
    }

    /** Whether this endpoint has already failed this request, so that a replay goes to another one. */
    boolean excludes(EndpointView endpoint);
}
