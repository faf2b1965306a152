package io.penstock.bench.headroom;

import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** One request of a backlog until it is done or its deadline has passed. One thread, its dispatcher's. */
final class Item {

    /** Where an item stands; it ends in exactly one of the last two. */
    enum State {
        OPEN, DONE, EXPIRED
    }

    private final long id;
    private final long deadlineNanos;
    private State state = State.OPEN;
    private int attempts;
    /** Ends it at its deadline. */
    @Nullable Future<?> alarm;
    /** The attempt that is in flight. */
    Wire.@Nullable Sent sent;

    Item(long id, long deadlineNanos) {
        this.id = id;
        this.deadlineNanos = deadlineNanos;
    }

    long id() {
        return id;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    boolean open() {
        return state == State.OPEN;
    }

    State state() {
        return state;
    }

    int attempts() {
        return attempts;
    }

    void attempted() {
        attempts++;
    }

    /** Ends it; a second end is a fault of the dispatcher. */
    void end(State last) {
        if (state != State.OPEN) {
            throw new IllegalStateException("item " + id + ": " + last + " (expected: still open, but it is " + state + ")");
        }
        state = last;
        Future<?> waiting = alarm;
        alarm = null;
        if (waiting != null) {
            waiting.cancel(false);
        }
    }
}
