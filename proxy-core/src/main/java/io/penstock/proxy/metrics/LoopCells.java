package io.penstock.proxy.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Sums in a row, of which each event loop has a copy that nobody else writes: adding is a load and a store, without a lock or a fence, and
 * reading folds the copies. Threads that are no event loop add atomically to one copy of their own. Nothing is lost; a sum that is only
 * added to never falls from one reading to the next; what a loop added is seen by whoever hears of it afterwards. Any thread.
 */
final class LoopCells {

    /** Longs of a cache line: copies of two loops must not meet on one. */
    private static final int LINE = 8;
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final int size;
    private final AtomicReferenceArray<long @Nullable []> copies = new AtomicReferenceArray<>(LoopStripe.COUNT);

    LoopCells(int size) {
        this.size = size;
    }

    void add(int cell, long amount) {
        int stripe = LoopStripe.current();
        add(stripe, copy(stripe), cell, amount);
    }

    /** Adds to two of them. */
    void add(int cell, long amount, int other, long otherAmount) {
        int stripe = LoopStripe.current();
        long[] copy = copy(stripe);
        add(stripe, copy, cell, amount);
        add(stripe, copy, other, otherAmount);
    }

    private static void add(int stripe, long[] copy, int cell, long amount) {
        int at = LINE + cell;
        if (stripe == LoopStripe.SHARED) {
            CELL.getAndAdd(copy, at, amount);
        } else {
            CELL.setRelease(copy, at, copy[at] + amount);
        }
    }

    private long[] copy(int stripe) {
        long[] known = copies.get(stripe);
        return known == null ? made(stripe) : known;
    }

    private long[] made(int stripe) {
        long[] fresh = new long[LINE + size + LINE];
        long[] first = copies.compareAndExchange(stripe, null, fresh);
        return first == null ? fresh : first;
    }

    long sum(int cell) {
        long sum = 0;
        for (int stripe = 0; stripe < LoopStripe.COUNT; stripe++) {
            long[] copy = copies.get(stripe);
            if (copy != null) {
                sum += (long) CELL.getAcquire(copy, LINE + cell);
            }
        }
        return sum;
    }
}
