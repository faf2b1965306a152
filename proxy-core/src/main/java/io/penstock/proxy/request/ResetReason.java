package io.penstock.proxy.request;

/** Why an exchange with a client ends without a clean end; the downstream side maps it to an HTTP/2 error code. */
public enum ResetReason {
    /** The backend died, or misbehaved, after its response had started. INTERNAL_ERROR. */
    UPSTREAM_FAILED,
    /** A timer ended it, or the client read too slowly. CANCEL. */
    TIMED_OUT,
    /** The client broke the protocol. PROTOCOL_ERROR. */
    CLIENT_PROTOCOL,
    /** The process stops and the drain timeout is over. CANCEL. */
    SHUTDOWN,
    /** Flow control stopped a running request for a band above it. CANCEL. */
    EVICTED,
    /** The response was complete before the request body was; the client need not send the rest. NO_ERROR. */
    BODY_NOT_NEEDED
}
