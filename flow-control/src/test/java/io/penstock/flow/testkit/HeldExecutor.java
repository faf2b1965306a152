package io.penstock.flow.testkit;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** An executor that keeps what it is given until a test lets it run, or refuses it as a stopped event loop does. */
public final class HeldExecutor implements Executor {

    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean refusing;

    @Override
    public synchronized void execute(Runnable task) {
        if (refusing) {
            throw new RejectedExecutionException("refusing");
        }
        held.add(task);
    }

    /** From now on every task is refused. */
    public synchronized void refuse() {
        refusing = true;
    }

    public synchronized int size() {
        return held.size();
    }

    /** Runs the oldest task. */
    public void runOne() {
        Runnable task;
        synchronized (this) {
            task = held.remove();
        }
        task.run();
    }

    /** Runs everything, also what is added meanwhile. */
    public void runAll() {
        while (size() > 0) {
            runOne();
        }
    }
}
