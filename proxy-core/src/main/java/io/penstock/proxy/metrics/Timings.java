package io.penstock.proxy.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;

/**
 * One series of a histogram of durations: it takes nanoseconds and shows seconds. Any thread; recording is two additions to the calling
 * event loop's own {@link LoopCells}. A scrape sums the buckets, so that its count always agrees with them.
 */
final class Timings {

    private final double[] bounds;
    private final long[] boundNanos;
    /** A count for each bucket, and at the end the sum of nanoseconds. */
    private final LoopCells cells;

    /** @param bounds ascending upper bounds in seconds, without infinity */
    Timings(double[] bounds) {
        this.bounds = new double[bounds.length + 1];
        System.arraycopy(bounds, 0, this.bounds, 0, bounds.length);
        this.bounds[bounds.length] = Double.POSITIVE_INFINITY;
        this.boundNanos = new long[bounds.length];
        this.cells = new LoopCells(bounds.length + 2);
        for (int i = 0; i < bounds.length; i++) {
            boundNanos[i] = Math.round(bounds[i] * 1e9);
        }
    }

    /** A clock that went backwards counts as no time at all. */
    void record(long nanos) {
        long value = Math.max(0, nanos);
        int bucket = 0;
        while (bucket < boundNanos.length && value > boundNanos[bucket]) {
            bucket++;
        }
        cells.add(bucket, 1, boundNanos.length + 1, value);
    }

    HistogramDataPointSnapshot snapshot(Labels labels) {
        long[] now = new long[bounds.length];
        for (int i = 0; i < now.length; i++) {
            now[i] = cells.sum(i);
        }
        double seconds = cells.sum(bounds.length) / 1e9;
        return new HistogramDataPointSnapshot(ClassicHistogramBuckets.of(bounds, now), seconds, labels, Exemplars.EMPTY, 0L);
    }
}
