package io.penstock.bench.headroom;

/** How many slots were busy over time. Any thread. */
final class SlotMeter {

    private long changedNanos = System.nanoTime();
    private long busyNanos;
    private int busy;
    private long beyond;

    synchronized void taken() {
        integrate();
        busy++;
    }

    synchronized void freed() {
        integrate();
        busy--;
    }

    /** A request came when all slots of its endpoint were busy: the proxy sent more than the limit. */
    synchronized void beyond() {
        beyond++;
    }

    synchronized long beyondLimit() {
        return beyond;
    }

    synchronized int busy() {
        return busy;
    }

    /** The sum over all slots of the time that they were busy. */
    synchronized long busyNanos() {
        integrate();
        return busyNanos;
    }

    private void integrate() {
        long now = System.nanoTime();
        busyNanos += (now - changedNanos) * busy;
        changedNanos = now;
    }
}
