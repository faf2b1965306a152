package io.penstock.proxy.handler;

import io.penstock.flow.Ticket;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Where flow control delivers a loop's outcomes. The dispatches that it delivers while the loop itself submits, above all the one of the
 * request just submitted, run in their order as soon as the submission has returned: outside the drain, but without a task each, and before
 * the rest of what was read, so that a body which comes with its head need not be kept. Everything else is a task of the loop.
 * {@link #execute} is for any thread, the rest for the loop's.
 */
final class OwnOutcomes implements Executor {

    private final Executor loop;
    private final Queue<Runnable> due = new ArrayDeque<>();
    /** The loop's thread while it submits. Read by other threads, to which null and a thread that they are not are the same. */
    private @Nullable Thread submitter;
    private boolean running;

    OwnOutcomes(Executor loop) {
        this.loop = loop;
    }

    /** Whether these are that loop's. */
    boolean of(Executor other) {
        return loop == other;
    }

    @Override
    public void execute(Runnable outcome) {
        if (submitter == Thread.currentThread() && outcome instanceof Ticket ticket && ticket.dispatched()) {
            due.add(outcome);
        } else {
            loop.execute(outcome);
        }
    }

    /**
     * The loop is about to submit; {@link #submitted} follows, whatever happens.
     *
     * @param atOnce false to leave everything to tasks
     */
    void submitting(boolean atOnce) {
        // So is what an outcome submits, so that a line of failing requests does not pile up on this stack.
        submitter = atOnce && !running ? Thread.currentThread() : null;
    }

    /** Runs what was delivered since {@link #submitting}. */
    void submitted() {
        submitter = null;
        if (running || due.isEmpty()) {
            return;
        }
        running = true;
        try {
            for (Runnable outcome = due.poll(); outcome != null; outcome = due.poll()) {
                outcome.run();
            }
        } finally {
            running = false;
            // Empty, unless one threw: the others must not wait for the next submission.
            due.forEach(loop::execute);
            due.clear();
        }
    }
}
