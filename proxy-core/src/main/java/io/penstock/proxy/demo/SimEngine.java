package io.penstock.proxy.demo;

import java.util.Iterator;
import java.util.LinkedHashSet;

/**
 * The slots of a simulated server: so many requests run, the others wait in order of arrival, and whoever leaves (finished or gone) makes
 * room at once. Changed only on the server's event loop; the two counts may be read on any thread.
 */
final class SimEngine {

    /** What holds a slot or waits for one. */
    interface Job {

        /** The job got its slot. */
        void started();
    }

    private final int slots;
    private final int places;
    private final LinkedHashSet<Job> waiting = new LinkedHashSet<>();
    private final LinkedHashSet<Job> running = new LinkedHashSet<>();
    private volatile int waitingCount;
    private volatile int runningCount;
    private boolean starting;

    SimEngine(int slots, int places) {
        this.slots = slots;
        this.places = places;
    }

    int runningCount() {
        return runningCount;
    }

    int waitingCount() {
        return waitingCount;
    }

    /** From 0 with one request running to 1 with every slot taken. */
    double load() {
        return slots == 1 ? 0 : Math.max(0, running.size() - 1.0) / (slots - 1);
    }

    /** Starts the job or lets it wait; false when it can do neither. */
    boolean submit(Job job) {
        if (running.size() >= slots && waiting.size() >= places) {
            return false;
        }
        waiting.add(job);
        startWaiting();
        return true;
    }

    /** The job is over or nobody wants it any more; a second call does nothing. */
    void leave(Job job) {
        if (running.remove(job) || waiting.remove(job)) {
            startWaiting();
        }
    }

    /** A job that ends inside {@code started()} comes back here: the outer call goes on, so that the stack stays flat. */
    private void startWaiting() {
        publish();
        if (starting) {
            return;
        }
        starting = true;
        try {
            while (running.size() < slots && !waiting.isEmpty()) {
                Iterator<Job> first = waiting.iterator();
                Job job = first.next();
                first.remove();
                running.add(job);
                publish();
                job.started();
            }
        } finally {
            starting = false;
        }
    }

    private void publish() {
        runningCount = running.size();
        waitingCount = waiting.size();
    }
}
