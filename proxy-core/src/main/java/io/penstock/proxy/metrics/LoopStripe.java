package io.penstock.proxy.metrics;

import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.BitSet;

/**
 * Numbers the event loops, so that each finds the cells that only it writes: one thread has a number at a time, and gives it back when it
 * ends. Other threads, and loops beyond {@value #COUNT}, share {@link #SHARED}. Any thread.
 */
final class LoopStripe {

    /** Numbers there are, the shared one included. */
    static final int COUNT = 64;
    static final int SHARED = 0;

    private static final BitSet TAKEN = new BitSet(COUNT);
    private static final FastThreadLocal<LoopStripe> OWN = new FastThreadLocal<>() {
        @Override
        protected LoopStripe initialValue() {
            return new LoopStripe(take());
        }

        @Override
        protected void onRemoval(LoopStripe stripe) {
            giveBack(stripe.number);
        }
    };

    private final int number;

    private LoopStripe(int number) {
        this.number = number;
    }

    /** The calling thread's. */
    static int current() {
        return Thread.currentThread() instanceof FastThreadLocalThread ? OWN.get().number : SHARED;
    }

    private static int take() {
        synchronized (TAKEN) {
            int free = TAKEN.nextClearBit(SHARED + 1);
            if (free >= COUNT) {
                return SHARED;
            }
            TAKEN.set(free);
            return free;
        }
    }

    /** Whoever takes the number next sees all that its last owner wrote: both hold the lock. */
    private static void giveBack(int number) {
        synchronized (TAKEN) {
            TAKEN.clear(number);
        }
    }
}
