package io.penstock.bench.headroom;

import org.jspecify.annotations.Nullable;

/** How one attempt ended, as a dispatcher tells it from status and {@code x-llm-d-request-dropped-reason}. Immutable. */
enum Outcome {
    /** An answer that will not change: any status but those below. */
    DONE,
    /** 429 {@code rejected-saturated}: the band, or the whole of flow control, was full. */
    SATURATED,
    /** 429 {@code rejected-ttl-expired}: it waited longer than it may. */
    TTL_EXPIRED,
    /** 429 {@code evicted}: it was stopped for something more urgent, and says nothing about the band. */
    EVICTED,
    /** 503 {@code rejected-no-endpoints}. */
    NO_ENDPOINTS,
    /** 503 {@code rejected-shutting-down}. */
    SHUTTING_DOWN,
    /** Any other 5xx or 429, a reset, a connection that broke: it may have been worked on. */
    FAILED,
    /** Certainly not worked on: above the last stream of a GOAWAY, a refused stream, a connection that never opened. */
    UNPROCESSED;

    /** By status and reason; {@code reason} is null where the answer had none. */
    static Outcome of(int status, @Nullable CharSequence reason) {
        if (reason != null) {
            switch (reason.toString()) {
                case "rejected-saturated":
                    return SATURATED;
                case "rejected-ttl-expired":
                    return TTL_EXPIRED;
                case "evicted":
                    return EVICTED;
                case "rejected-no-endpoints":
                    return NO_ENDPOINTS;
                case "rejected-shutting-down":
                    return SHUTTING_DOWN;
                default:
                    return FAILED;
            }
        }
        return status >= 500 || status == 429 ? FAILED : DONE;
    }
}
