package io.penstock.proxy.metrics;

import io.penstock.flow.Outcome;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
    private final LoopCells bytes = new LoopCells(1);
    private final AtomicReferenceArray<@Nullable Timings> waits = new AtomicReferenceArray<>(OUTCOMES);
    /** By outcome; the last is of those that were put into their queue. */
    private final AtomicReferenceArray<@Nullable Timings> enqueues = new AtomicReferenceArray<>(OUTCOMES + 1);
    private final AtomicReferenceArray<@Nullable LoopCells> ends = new AtomicReferenceArray<>(OUTCOMES);

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
        bytes.add(0, size);
        return true;
    }

    /** A submission has ended. */
    void settle(long size) {
        bytes.add(0, -size);
        users.decrementAndGet();
    }

    /** Records how long a submission waited; false when the series has been given up. */
    boolean record(Outcome outcome, long waitedNanos) {
        return record(waits, outcome.ordinal(), Buckets.WAIT, waitedNanos);
    }

    /** The same for a submission of this series, which has not settled yet: so the series is not given up meanwhile. */
    void recordOwn(Outcome outcome, long waitedNanos) {
        timings(waits, outcome.ordinal(), Buckets.WAIT).record(waitedNanos);
    }

    /** Records how long an arrival took to its queue, or to the outcome that came before that; false when the series has been given up. */
    boolean enqueued(@Nullable Outcome outcome, long nanos) {
        return record(enqueues, outcome == null ? OUTCOMES : outcome.ordinal(), Buckets.DECISION, nanos);
    }

    private boolean record(AtomicReferenceArray<@Nullable Timings> in, int index, double[] buckets, long nanos) {
        if (!enter(RECORDER)) {
            return false;
        }
        timings(in, index, buckets).record(nanos);
        users.addAndGet(-RECORDER);
        return true;
    }

    private static Timings timings(AtomicReferenceArray<@Nullable Timings> in, int index, double[] buckets) {
        Timings known = in.get(index);
        if (known != null) {
            return known;
        }
        Timings fresh = new Timings(buckets);
        Timings first = in.compareAndExchange(index, null, fresh);
        return first == null ? fresh : first;
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
    LoopCells counter(Outcome outcome) {
        return ends.get(outcome.ordinal());
    }

    void counter(Outcome outcome, LoopCells counter) {
        ends.set(outcome.ordinal(), counter);
    }

    int queueSize() {
        return retired() ? 0 : (int) users.get();
    }

    long queueBytes() {
        return bytes.sum(0);
    }

    /** Null for an outcome that no arrival had; the outcome is null for those that were put into their queue. */
    @Nullable
    Timings enqueues(@Nullable Outcome outcome) {
        return enqueues.get(outcome == null ? OUTCOMES : outcome.ordinal());
    }

    @Nullable
    Timings waits(Outcome outcome) {
        return waits.get(outcome.ordinal());
    }
}
