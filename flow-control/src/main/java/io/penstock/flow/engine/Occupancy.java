package io.penstock.flow.engine;

import io.penstock.flow.config.BandConfig;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Waiting requests and their bytes in one word: one compare-and-set tests both limits, so neither is overshot for a moment, and one read
 * gives a pair that really existed. Any thread, no lock.
 *
 * <pre>
 *  63      62 .. 40              39 .. 0
 *  closed  requests (23 bits)    bytes (40 bits)
 * </pre>
 *
 * The field ends are limits of their own and refuse, so that no addition carries from one field into the next.
 */
final class Occupancy {

    /** What became of a reservation. */
    enum Reservation {
        ADMITTED,
        FULL,
        /** There was room in the band and none under the global limit. */
        TOTAL_FULL,
        /** The owner is gone for good; nothing can be reserved here again. */
        CLOSED
    }

    private static final int REQUESTS_SHIFT = 40;
    private static final long ONE_REQUEST = 1L << REQUESTS_SHIFT;
    private static final long BYTES_MASK = ONE_REQUEST - 1;
    private static final long CLOSED_BIT = Long.MIN_VALUE;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Occupancy.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long word;

    /**
     * Takes a place for one request.
     *
     * @param bytes its size, 0 or more
     * @param maxRequests at most {@link BandConfig#MAX_REQUESTS}
     * @param maxBytes at most {@link BandConfig#MAX_BYTES}
     */
    Reservation reserve(long bytes, long maxRequests, long maxBytes) {
        assert bytes >= 0 && maxRequests <= BandConfig.MAX_REQUESTS && maxBytes <= BandConfig.MAX_BYTES;
        for (;;) {
            long seen = word;
            if (seen < 0) {
                return Reservation.CLOSED;
            }
            if (requests(seen) >= maxRequests || bytes > maxBytes - bytes(seen)) {
                return Reservation.FULL;
            }
            if (WORD.weakCompareAndSet(this, seen, seen + ONE_REQUEST + bytes)) {
                return Reservation.ADMITTED;
            }
        }
    }

    /** Gives back what {@link #reserve} took, once. */
    void release(long bytes) {
        WORD.getAndAdd(this, -(ONE_REQUEST + bytes));
    }

    /** Refuses everything from now on, provided that nothing is reserved. */
    boolean close() {
        return WORD.compareAndSet(this, 0L, CLOSED_BIT);
    }

    /** Both counts at one moment, for {@link #requests(long)} and {@link #bytes(long)}. */
    long read() {
        return word;
    }

    static long requests(long word) {
        return (word & ~CLOSED_BIT) >>> REQUESTS_SHIFT;
    }

    static long bytes(long word) {
        return word & BYTES_MASK;
    }
}
