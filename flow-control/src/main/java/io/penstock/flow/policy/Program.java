package io.penstock.flow.policy;

import io.penstock.flow.policy.ProgramsView.ProgramView;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One program's service and waits. Any thread, but {@link #dispatched}, which is the drainer's.
 */
final class Program {

    private static final int FORGOTTEN = -1;
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** Flows that wait and requests that run; it is forgotten only at 0. */
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    /** The bits of the logarithm of all service, brought to the start of its {@link Programs}; minus infinity for none. */
    private final AtomicLong service = new AtomicLong(Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY));
    private volatile long lastUsedNanos;
    private volatile double attained;
    private volatile long dispatched;
    private volatile double averageWaitMillis;

    Program(long nowNanos) {
        lastUsedNanos = nowNanos;
    }

    /** False when it was forgotten a moment ago. */
    boolean tryHold() {
        int before = holders.get();
        while (before != FORGOTTEN && !holders.compareAndSet(before, before + 1)) {
            before = holders.get();
        }
        return before != FORGOTTEN;
    }

    void release() {
        holders.decrementAndGet();
    }

    boolean isIdle() {
        return holders.get() == 0;
    }

    boolean tryForget() {
        return holders.compareAndSet(0, FORGOTTEN);
    }

    /** When its last request ended, or it was made. */
    long lastUsedNanos() {
        return lastUsedNanos;
    }

    /** While it is held; it is held once more until that request has {@link #finished}. */
    void dispatched(long waitedNanos) {
        holders.incrementAndGet();
        inFlight.incrementAndGet();
        long count = dispatched + 1;
        averageWaitMillis += (waitedNanos / NANOS_PER_MILLI - averageWaitMillis) / count;
        dispatched = count;
    }

    /**
     * Adds service; what is there has decayed until now.
     *
     * @param tokens 0 or more
     * @param aged {@link Programs#aged} now
     */
    void finished(double tokens, double aged, long nowNanos) {
        if (tokens > 0) {
            add(tokens, aged);
        }
        lastUsedNanos = nowNanos;
        if (wasOurs()) {
            release();
        }
    }

    private void add(double tokens, double aged) {
        long before;
        double sum;
        do {
            before = service.get();
            sum = Math.exp(Double.longBitsToDouble(before) - aged) + tokens;
        } while (!service.compareAndSet(before, Double.doubleToRawLongBits(Math.log(sum) + aged)));
        attained = sum;
    }

    /** A request that another policy has dispatched is served too, but was never counted as running. */
    private boolean wasOurs() {
        int before = inFlight.get();
        while (before > 0 && !inFlight.compareAndSet(before, before - 1)) {
            before = inFlight.get();
        }
        return before > 0;
    }

    int inFlight() {
        return inFlight.get();
    }

    /** Changes only with {@link #finished}. */
    long serviceBits() {
        return service.get();
    }

    /** Tokens received, decayed until now. */
    double service(double aged) {
        return Math.exp(Double.longBitsToDouble(service.get()) - aged);
    }

    ProgramView view(String id) {
        return new ProgramView(id, dispatched, averageWaitMillis, attained);
    }
}
