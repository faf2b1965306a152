package io.penstock.proxy.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.concurrent.atomic.LongAdder;

/**
 * One series of a histogram of durations: it takes nanoseconds and shows seconds. Any thread; recording takes two striped additions, no
 * lock and no allocation. A scrape sums the buckets, so that its count always agrees with them.
 */
final class Timings {

    private final double[] bounds;
    private final long[] boundNanos;
    private final LongAdder[] counts;
    private final LongAdder sumNanos = new LongAdder();

    /** @param bounds ascending upper bounds in seconds, without infinity */
    Timings(double[] bounds) {
        this.bounds = new double[bounds.length + 1];
        System.arraycopy(bounds, 0, this.bounds, 0, bounds.length);
        this.bounds[bounds.length] = Double.POSITIVE_INFINITY;
        this.boundNanos = new long[bounds.length];
        this.counts = new LongAdder[bounds.length + 1];
        for (int i = 0; i < bounds.length; i++) {
            boundNanos[i] = Math.round(bounds[i] * 1e9);
            counts[i] = new LongAdder();
        }
        counts[bounds.length] = new LongAdder();
    }

    /** A clock that went backwards counts as no time at all. */
    void record(long nanos) {
        long value = Math.max(0, nanos);
        int bucket = 0;
        while (bucket < boundNanos.length && value > boundNanos[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sumNanos.add(value);
    }

    HistogramDataPointSnapshot snapshot(Labels labels) {
        long[] now = new long[counts.length];
        for (int i = 0; i < now.length; i++) {
            now[i] = counts[i].sum();
        }
        return new HistogramDataPointSnapshot(ClassicHistogramBuckets.of(bounds, now), sumNanos.sum() / 1e9, labels, Exemplars.EMPTY, 0L);
    }
}
