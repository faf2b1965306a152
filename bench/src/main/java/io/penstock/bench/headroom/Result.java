package io.penstock.bench.headroom;

import org.HdrHistogram.Histogram;

/**
 * What one run of a cell has shown. Immutable by custom.
 *
 * @param batch the dispatchers' attempts and items in the measured part
 * @param seconds how long that was
 * @param slotUse busy slots over all slots, 0..1
 * @param waits queue duration of answered batch requests, whole milliseconds, as the header says it
 * @param interactive the open load
 * @param impossible heads whose headroom was above the band's limit
 */
record Result(Account.Totals batch, double seconds, double slotUse, Histogram waits, OpenLoad.Measured interactive, long impossible) {

    double refusedPercent() {
        return 100 * batch.refusedShare();
    }

    double slotPercent() {
        return 100 * slotUse;
    }

    double waitMedian() {
        return waits.getValueAtPercentile(50);
    }

    double waitP99() {
        return waits.getValueAtPercentile(99);
    }

    double interactiveP99() {
        return interactive.latencies().getValueAtPercentile(99) / 1000.0;
    }

    /** Answered requests a second, batch and interactive. */
    double goodput() {
        return (batch.done() + interactive.done()) / seconds;
    }

    double batchPerSecond() {
        return batch.done() / seconds;
    }
}
