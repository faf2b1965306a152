package io.penstock.flow.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One writer at a time without a thread of its own: whoever signals first becomes the drainer, the others have only said that there is more
 * to do. After {@value #TURN} steps the word goes to the next registered executor, and is not given back in between, so no thread is kept
 * from its own work for long. Any thread.
 */
final class Combiner {

    /** Steps of one turn. */
    static final int TURN = 64;

    /** What the drainer does. */
    interface Work {

        /**
         * One step.
         *
         * @param changed whether something was signalled since the last step
         * @return whether there may be more to do without a further signal
         */
        boolean step(boolean changed);

        /** A step threw. The word is given back all the same. */
        void failed(Throwable cause);
    }

    private final Work work;
    /** Signals not yet answered; above 0 while there is a drainer. */
    private final AtomicLong wip = new AtomicLong();
    private final List<Executor> executors = new CopyOnWriteArrayList<>();
    private int next;

    Combiner(Work work) {
        this.work = work;
    }

    void register(Executor executor) {
        executors.add(executor);
    }

    void signal() {
        if (enter()) {
            drain();
        }
    }

    /** A signal whose caller, if this returns true, is the drainer: it may write the drainer's state, and then must {@link #drain}. */
    boolean enter() {
        return wip.getAndIncrement() == 0;
    }

    /** For tests: 0 at rest. */
    long pending() {
        return wip.get();
    }

    /** Works until nothing is left to do, or the word has gone to another executor; the drainer only. */
    void drain() {
        int steps = 0;
        long seen = wip.get();
        boolean changed = true;
        for (;;) {
            boolean more = step(changed);
            if (!more) {
                long left = wip.addAndGet(-seen);
                if (left == 0) {
                    return;
                }
                seen = left;
                changed = true;
            } else {
                long now = wip.get();
                changed = now != seen;
                seen = now;
            }
            if (++steps >= TURN) {
                if (handOver()) {
                    return;
                }
                steps = 0;
            }
        }
    }

    private boolean step(boolean changed) {
        try {
            return work.step(changed);
        } catch (Throwable broken) {
            failed(broken);
            return false;
        }
    }

    private void failed(Throwable broken) {
        try {
            work.failed(broken);
        } catch (Throwable ignored) {
            // Telling failed as well; the word must go back whatever happens.
        }
    }

    /** Gives the rest of the work away; false when nobody takes it. */
    private boolean handOver() {
        int count = executors.size();
        for (int tries = 0; tries < count; tries++) {
            next = next + 1 < count ? next + 1 : 0;
            Relay relay = new Relay();
            try {
                executors.get(next).execute(relay);
            } catch (Throwable stopping) {
                continue;
            }
            return relay.taken();
        }
        return false;
    }

    /**
     * Carries the word to another executor. One that runs its tasks at once, in the frame of {@code execute}, would pile a turn on a turn:
     * then the relay only notes it, and the giver goes on in its own loop.
     */
    private final class Relay implements Runnable {

        private @Nullable Thread giver = Thread.currentThread();
        private boolean ranAtOnce;

        @Override
        public void run() {
            if (giver == Thread.currentThread()) {
                ranAtOnce = true;
            } else {
                drain();
            }
        }

        boolean taken() {
            if (ranAtOnce) {
                return false;
            }
            giver = null;
            return true;
        }
    }
}
