package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/** Why a request does not run; {@link #headerValue()} goes into {@code x-llm-d-request-dropped-reason}. */
public enum RejectReason {
    /** The band or the global limit is full. */
    SATURATED("rejected-saturated"),
    /** The pool has no endpoints. */
    NO_ENDPOINTS("rejected-no-endpoints"),
    /** The queue-wait budget ended while the pool had endpoints. */
    TTL_EXPIRED("rejected-ttl-expired"),
    /** The caller's own scope ended. */
    CONTEXT_CANCELLED("rejected-context-cancelled"),
    /** The process is stopping. */
    SHUTTING_DOWN("rejected-shutting-down"),
    /** It ran, and was stopped for a band above it; never an outcome of a wait. */
    EVICTED("evicted"),
    /** Something broke inside; carries no header. */
    INTERNAL(null);

    private final @Nullable String headerValue;

    RejectReason(@Nullable String headerValue) {
        this.headerValue = headerValue;
    }

    public @Nullable String headerValue() {
        return headerValue;
    }
}
