package io.penstock.proxy.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a scripted backend has seen, and waiting for it. The backend's event loop writes it, any thread reads it, under its monitor. */
final class ScriptCounts {

    /** What can be counted and waited for. */
    enum Count { OPEN_CONNECTIONS, CONNECTIONS, REQUESTS, COMPLETE_REQUESTS, RUNNING, DISCONNECTS }

    private final int[] values = new int[Count.values().length];
    private final List<SeenRequest> requests = new ArrayList<>();

    synchronized void add(Count count, int change) {
        values[count.ordinal()] += change;
        notifyAll();
    }

    synchronized int value(Count count) {
        return values[count.ordinal()];
    }

    /** Keeps a request's head; gives the place for {@link #complete}. */
    synchronized int seen(SeenRequest request) {
        requests.add(request);
        values[Count.REQUESTS.ordinal()]++;
        values[Count.RUNNING.ordinal()]++;
        notifyAll();
        return requests.size() - 1;
    }

    synchronized void complete(int place, SeenRequest request) {
        requests.set(place, request);
        values[Count.COMPLETE_REQUESTS.ordinal()]++;
        notifyAll();
    }

    synchronized List<SeenRequest> requests() {
        return List.copyOf(requests);
    }

    /** Waits until the count has exactly or at least that value. */
    synchronized void await(Count count, int wanted, boolean exactly, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        while (exactly ? values[count.ordinal()] != wanted : values[count.ordinal()] < wanted) {
            long left = end - System.nanoTime();
            if (left <= 0 || interrupted) {
                throw new AssertionError(count + ": " + values[count.ordinal()] + " (expected: " + wanted + " within " + limit + ')');
            }
            try {
                wait(left / 1_000_000, (int) (left % 1_000_000));
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                interrupted = true;
            }
        }
    }
}
