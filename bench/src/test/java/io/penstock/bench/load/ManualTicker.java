package io.penstock.bench.load;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that a test moves by hand. */
final class ManualTicker implements Ticker {

    private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
    private long now = 1_000;
    private long orders;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void at(long nanos, Runnable task) {
        tasks.add(new Task(nanos, orders++, task));
    }

    /** Moves to this time and runs what is due on the way, each at its own time. */
    void advance(long nanos) {
        long end = now + nanos;
        while (!tasks.isEmpty() && tasks.peek().at <= end) {
            Task task = tasks.remove();
            now = Math.max(now, task.at);
            task.run.run();
        }
        now = end;
    }

    /** Moves on without running anything, as a machine does that is busy elsewhere. */
    void freeze(long nanos) {
        now += nanos;
    }

    private record Task(long at, long order, Runnable run) {
    }
}
