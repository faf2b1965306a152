package io.penstock.bench.headroom;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What became of the items of one or more windows, and of the attempts it took. One thread, its dispatchers'.
 */
final class Account {

    private final long[] outcomes = new long[Outcome.values().length];
    private long drawn;
    private long done;
    private long expired;
    private long attempts;
    private long cancelled;
    private @Nullable Runnable whenSettled;

    void drawn() {
        drawn++;
    }

    void attempted() {
        attempts++;
    }

    void ended(Outcome outcome) {
        outcomes[outcome.ordinal()]++;
    }

    /** An attempt was given up because its item's deadline had come. */
    void cancelled() {
        cancelled++;
    }

    void closed(Item item) {
        switch (item.state()) {
            case DONE -> done++;
            case EXPIRED -> expired++;
            default -> throw new IllegalStateException("item " + item.id() + ": open (expected: ended)");
        }
        settle();
    }

    /** Calls back once no item is open; nothing may be drawn any more. */
    void whenSettled(Runnable then) {
        whenSettled = then;
        settle();
    }

    private void settle() {
        Runnable then = whenSettled;
        if (then != null && open() == 0) {
            whenSettled = null;
            then.run();
        }
    }

    /** Items that were drawn from a backlog and have not ended. */
    long open() {
        return drawn - done - expired;
    }

    Totals totals() {
        return new Totals(drawn, done, expired, attempts, cancelled, Arrays.copyOf(outcomes, outcomes.length));
    }

    /**
     * Counts at one moment. Immutable, except for the array, which nobody writes.
     *
     * @param drawn items taken from the backlog
     * @param done items that were answered
     * @param expired items whose deadline passed
     * @param attempts requests sent
     * @param cancelled attempts given up at their item's deadline
     * @param outcomes how attempts ended, by {@link Outcome}
     */
    record Totals(long drawn, long done, long expired, long attempts, long cancelled, long[] outcomes) {

        long of(Outcome outcome) {
            return outcomes[outcome.ordinal()];
        }

        /** What has come on top since {@code earlier}. */
        Totals since(Totals earlier) {
            long[] more = new long[outcomes.length];
            Arrays.setAll(more, i -> outcomes[i] - earlier.outcomes[i]);
            return new Totals(drawn - earlier.drawn, done - earlier.done, expired - earlier.expired, attempts - earlier.attempts,
                    cancelled - earlier.cancelled, more);
        }

        /** Attempts that have ended, with an answer or without one. */
        long ended() {
            return Arrays.stream(outcomes).sum();
        }

        /** Refused as saturated, of all attempts that have ended; 0 when there were none. */
        double refusedShare() {
            return ended() == 0 ? 0 : (double) of(Outcome.SATURATED) / ended();
        }

        /** Throws unless every item has ended in exactly one way, and every attempt in exactly one. */
        void check() {
            if (drawn != done + expired) {
                throw new IllegalStateException("backlog: " + drawn + " drawn, " + done + " done, " + expired
                        + " expired (expected: every item in exactly one of the last two)");
            }
            if (attempts != ended() + cancelled || of(Outcome.DONE) != done) {
                throw new IllegalStateException("attempts: " + attempts + " sent, " + ended() + " ended, " + cancelled + " given up, "
                        + of(Outcome.DONE) + " answered for " + done + " items done (expected: no difference)");
            }
        }
    }
}
