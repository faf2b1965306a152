package io.penstock.proxy.http2;

/**
 * Allows a rate with a burst, in constant space and without a timer. Used on one event loop.
 */
final class TokenBucket {

    private final long interval;
    private final long tolerance;
    private long due;

    /**
     * @param perSecond sustained rate, 1 or more
     * @param burst what may come at once, 1 or more
     * @param now the clock's nanoseconds
     */
    TokenBucket(long perSecond, long burst, long now) {
        this(perSecond, 1, burst, now);
    }

    /** {@code count} tokens come back in each {@code seconds}. */
    TokenBucket(long count, long seconds, long burst, long now) {
        interval = seconds * 1_000_000_000L / count;
        tolerance = interval * burst;
        due = now;
    }

    /** Takes one token; false when there is none. */
    boolean take(long now) {
        long start = due - now > 0 ? due : now;
        if (start + interval - now > tolerance) {
            return false;
        }
        due = start + interval;
        return true;
    }
}
