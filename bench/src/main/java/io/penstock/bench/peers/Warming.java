package io.penstock.bench.peers;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Loads one JVM until its compilers have nothing left to do. A compiler decides by what a method has seen, and throws code away when
 * something else comes; so each pass has every kind of load of the set for a moment, and between two passes the target stands still as it
 * does between rounds. It takes at least the budget's time under load, then until two passes in a row cost the same, at most the cap. One
 * thread.
 */
final class Warming {

    /** How far two passes in a row may differ: what a shared machine shows by itself. */
    static final double TOLERANCE = 0.05;

    private final List<Scenario> kinds;
    private final Function<Scenario, Map<Metric, Double>> load;
    private final Budget budget;
    private final LongSupplier clock;
    private final Map<Scenario, Double> before = new EnumMap<>(Scenario.class);
    private Duration time = Duration.ZERO;
    private double changed = Double.NaN;
    private int passes;

    /**
     * @param kinds of load in each pass, at least one
     * @param load puts one on the target for a moment and says what it cost
     * @param clock nanoseconds
     */
    Warming(List<Scenario> kinds, Function<Scenario, Map<Metric, Double>> load, Budget budget, LongSupplier clock) {
        this.kinds = kinds;
        this.load = load;
        this.budget = budget;
        this.clock = clock;
    }

    /**
     * One for a target: with all kinds of the set, measured there or not, so that two modes of one JVM have seen the same. Left out is
     * what would take minutes: many paced streams where a gate lets only some of them run.
     */
    static Warming of(Running running, Measuring slices, List<Scenario> set, Budget budget) {
        List<Scenario> kinds = set.stream().filter(each -> each.load() != Scenario.Load.PACED
                || each.shortSet() && running.target().flow() != Flow.GATED).toList();
        return new Warming(kinds.isEmpty() ? set : kinds, kind -> slices.measure(running, kind), budget, System::nanoTime);
    }

    /** Puts each kind of load on the target once. */
    void pass() {
        long begun = clock.getAsLong();
        double sum = 0;
        int compared = 0;
        for (Scenario kind : kinds) {
            double cpu = load.apply(kind).getOrDefault(Metric.CPU, Double.NaN);
            Double last = before.put(kind, cpu);
            // Paced loads leave the core idle: a tick of the kernel's clock is a large part of what they use.
            if (last != null && last > 0 && cpu > 0 && kind.fillsTheCore()) {
                sum += cpu / last - 1;
                compared++;
            }
        }
        time = time.plusNanos(clock.getAsLong() - begun);
        passes++;
        changed = compared == 0 ? passes > 1 ? 0 : Double.NaN : sum / compared;
    }

    /** Whether it needs no other pass. */
    boolean done() {
        return time.compareTo(budget.warm()) >= 0 && settled() || time.compareTo(budget.warmCap()) >= 0;
    }

    /** Whether the last pass cost what the one before it did; true for loads without an account of CPU. */
    boolean settled() {
        return Math.abs(changed) <= TOLERANCE;
    }

    String text() {
        return String.format(Locale.ROOT, "%d passes of %d kinds of load in %d s, CPU %+.1f %% against the pass before%s", passes,
                kinds.size(), time.toSeconds(), 100 * changed, settled() ? "" : ": NOT SETTLED");
    }
}
