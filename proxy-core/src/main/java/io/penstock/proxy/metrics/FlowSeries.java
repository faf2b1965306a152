package io.penstock.proxy.metrics;

import io.micrometer.core.instrument.Counter;
import io.penstock.flow.Outcome;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The live values of one flow's series: one fairness id in one priority. Any thread.
 *
 * <p>{@code users} holds two counts in one word, so that a flow is given up only when nobody is inside: the lower half counts submissions
 * that have not settled, which is the queue size, the upper half whoever records an outcome at the moment. {@link #retire()} turns zero
 * into a value that no count reaches, and from then on nobody gets in.
 */
final class FlowSeries {

    private static final long RETIRED = Long.MIN_VALUE;
    private static final long RECORDER = 1L << 32;
    private static final int OUTCOMES = Outcome.values().length;

    final String fairnessId;
    final int priority;
    /** Set by submissions, read by the sweep; a lost update costs a flow one period of its rest. */
    int touchedIn;

    private final AtomicLong users = new AtomicLong();
    private final LongAdder bytes = new LongAdder();
    private final AtomicReferenceArray<@Nullable Timings> waits = new AtomicReferenceArray<>(OUTCOMES);
    private final AtomicReferenceArray<@Nullable Counter> ends = new AtomicReferenceArray<>(OUTCOMES);

    FlowSeries(String fairnessId, int priority, int period) {
        this.fairnessId = fairnessId;
        this.priority = priority;
        this.touchedIn = period;
    }

    /** A submission begins; false when the series has been given up and another is to be found. */
    boolean submit(long size) {
        if (!enter(1)) {
            return false;
        }
        bytes.add(size);
        return true;
    }

    /** A submission has ended. */
    void settle(long size) {
        bytes.add(-size);
        users.decrementAndGet();
    }

    /** Records how long a submission waited; false when the series has been given up. */
    boolean record(Outcome outcome, long waitedNanos) {
        if (!enter(RECORDER)) {
            return false;
        }
        Timings timings = waits.get(outcome.ordinal());
        if (timings == null) {
            waits.compareAndSet(outcome.ordinal(), null, new Timings(Buckets.WAIT));
            timings = waits.get(outcome.ordinal());
        }
        if (timings != null) {
            timings.record(waitedNanos);
        }
        users.addAndGet(-RECORDER);
        return true;
    }

    private boolean enter(long step) {
        if (users.getAndAdd(step) >= RETIRED / 2) {
            return true;
        }
        users.addAndGet(-step);
        return false;
    }

    /** Gives the series up when nobody is inside. */
    boolean retire() {
        return users.compareAndSet(0, RETIRED);
    }

    boolean retired() {
        return users.get() < RETIRED / 2;
    }

    @Nullable
    Counter counter(Outcome outcome) {
        return ends.get(outcome.ordinal());
    }

    void counter(Outcome outcome, Counter counter) {
        ends.set(outcome.ordinal(), counter);
    }

    int queueSize() {
        return retired() ? 0 : (int) users.get();
    }

    long queueBytes() {
        return bytes.sum();
    }

    @Nullable
    Timings waits(Outcome outcome) {
        return waits.get(outcome.ordinal());
    }
}
