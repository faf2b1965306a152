package io.penstock.proxy.request;

import io.penstock.flow.RejectReason;

/**
 * Why a request ended, as one label of metrics and access log: whose doing it was, whatever its status. A client that leaves is never
 * counted as a fault of the proxy or of a backend.
 */
public enum EndCause {
    /** The response was sent to its end, whatever its status; a backend's own error too. */
    NATURAL("natural"),
    /** The client reset the stream. */
    CLIENT_RESET("client-reset"),
    /** The client's connection closed or broke. */
    CLIENT_DISCONNECT("client-disconnect"),
    /** The client broke the protocol, or one of its limits. */
    CLIENT_PROTOCOL("client-protocol"),
    /** A backend could not be reached, closed, reset or sent nonsense. */
    UPSTREAM_ERROR("upstream-error"),
    /** A timer ended it after dispatch. */
    TIMEOUT("timeout"),
    /** Its queue-wait budget ended. */
    QUEUE_EXPIRED("queue-expired"),
    /** Flow control had no room, there was no endpoint, or an admitter denied it. */
    REFUSED("refused"),
    /** Flow control stopped it for a band above it. */
    EVICTED("evicted"),
    /** The process was stopping. */
    SHUTDOWN("shutdown"),
    /** A defect of the proxy. */
    INTERNAL("internal");

    private final String label;

    EndCause(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }

    /** The cause when the client left before its response was complete. */
    public static EndCause of(ClientGone gone) {
        return switch (gone) {
            case RESET -> CLIENT_RESET;
            case DISCONNECTED -> CLIENT_DISCONNECT;
            case PROTOCOL_ERROR -> CLIENT_PROTOCOL;
        };
    }

    /** The cause when the proxy reset the exchange. */
    public static EndCause of(ResetReason reason) {
        return switch (reason) {
            case UPSTREAM_FAILED -> UPSTREAM_ERROR;
            case TIMED_OUT -> TIMEOUT;
            case CLIENT_PROTOCOL -> CLIENT_PROTOCOL;
            case SHUTDOWN -> SHUTDOWN;
            case EVICTED -> EVICTED;
            case BODY_NOT_NEEDED -> NATURAL;
        };
    }

    /** The cause when flow control refused. */
    public static EndCause of(RejectReason reason) {
        return switch (reason) {
            case SATURATED, NO_ENDPOINTS -> REFUSED;
            case TTL_EXPIRED -> QUEUE_EXPIRED;
            case CONTEXT_CANCELLED -> CLIENT_DISCONNECT;
            case SHUTTING_DOWN -> SHUTDOWN;
            case EVICTED -> EVICTED;
            case INTERNAL -> INTERNAL;
        };
    }
}
