package io.penstock.bench.peers;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * Loads a JVM until its compilers have nothing left to do: at least the budget's time, then until two slices in a row cost the same, at
 * most the cap. One thread.
 */
final class Warming {

    /** How far two slices in a row may differ: what a shared machine shows by itself. */
    static final double TOLERANCE = 0.04;
    private static final double SLICE_SECONDS = 2;
    private static final long FIRST_SLICE = 1_000;

    private final Measuring measuring;
    private final Budget budget;
    private final LongSupplier clock;

    /** @param clock nanoseconds */
    Warming(Measuring measuring, Budget budget, LongSupplier clock) {
        this.measuring = measuring;
        this.budget = budget;
        this.clock = clock;
    }

    /** What the last slice cost, and whether it had settled. */
    record Result(double cpuMicros, double changed, boolean settled, Duration time) {

        String text() {
            return String.format(Locale.ROOT, "%.1f us CPU/request after %d s, %+.1f %% against the slice before%s", cpuMicros,
                    time.toSeconds(), 100 * changed, settled ? "" : ": NOT SETTLED");
        }
    }

    Result warm(Running running) {
        long begun = clock.getAsLong();
        measuring.measure(running, Scenario.SSE_FLAT);
        measuring.measure(running, Scenario.LATENCY);
        measuring.measure(running, Scenario.RATE);
        return settle(begun, requests -> measuring.closed(running, Scenario.CLOSED_8X16, requests));
    }

    /** Slice after slice, given how many requests it is to have, until enough time has passed and two in a row cost the same. */
    Result settle(long begun, LongFunction<Map<Metric, Double>> slices) {
        long requests = FIRST_SLICE;
        double before = Double.NaN;
        while (true) {
            Map<Metric, Double> slice = slices.apply(requests);
            double cpu = slice.getOrDefault(Metric.CPU, Double.NaN);
            Duration time = Duration.ofNanos(clock.getAsLong() - begun);
            double changed = (cpu - before) / before;
            boolean settled = Math.abs(changed) <= TOLERANCE;
            if (time.compareTo(budget.warm()) >= 0 && settled || time.compareTo(budget.warmCap()) >= 0) {
                return new Result(cpu, changed, settled, time);
            }
            before = cpu;
            double seconds = Math.min(SLICE_SECONDS, budget.warm().toMillis() / 4e3);
            requests = Math.max(FIRST_SLICE, Math.round(slice.getOrDefault(Metric.PER_SECOND, 1_000.0) * seconds));
        }
    }
}
