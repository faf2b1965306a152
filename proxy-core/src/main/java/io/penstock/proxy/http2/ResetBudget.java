package io.penstock.proxy.http2;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * Tells users who press Stop from an attack (spec/edge section 3, A1 to A3). A connection is abusive when more than half of at least 500
 * requests were reset within a second of their opening, when it sends more than 10 000 resets in a minute, or when it provokes more than 20
 * stream errors in 30 seconds. Used on one event loop.
 */
final class ResetBudget {

    static final int MIN_REQUESTS = 500;
    static final long PREMATURE_NANOS = 1_000_000_000L;
    /** Streams refused before the peer can know our limit. */
    static final int FREE_REFUSALS = 1_000;

    private final TokenBucket resets;
    private final TokenBucket errors;
    private long premature;
    private int refusals;
    private boolean limitKnown;

    ResetBudget(long now) {
        resets = new TokenBucket(10_000, 60, 10_000, now);
        errors = new TokenBucket(20, 30, 20, now);
    }

    /** The peer has acknowledged our SETTINGS: from now on it knows how many streams it may open. */
    void limitKnown() {
        limitKnown = true;
    }

    /** Any RST_STREAM frame. */
    void resetFrame(long now) throws Http2Exception {
        if (!resets.take(now)) {
            throw Abuse.RAPID_RESET.error();
        }
    }

    /** The peer reset a request that was not answered yet. */
    void requestReset(long ageNanos, long opened) throws Http2Exception {
        if (ageNanos < PREMATURE_NANOS) {
            premature++;
        }
        if (opened >= MIN_REQUESTS && premature * 2 > opened) {
            throw Abuse.RAPID_RESET.error();
        }
    }

    /** We ended a stream for the peer's fault; false when that was once too often. */
    boolean streamError(Http2Error error, long now) {
        if (error == Http2Error.REFUSED_STREAM && !limitKnown) {
            return ++refusals <= FREE_REFUSALS;
        }
        return errors.take(now);
    }
}
