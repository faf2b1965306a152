package io.penstock.bench.peers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything that a run has shown: for each target, scenario and metric one value a round, NaN where there is none. Targets and scenarios
 * keep the order in which they came. One thread.
 */
final class Results {

    /** The column of a target's values that belong to no scenario, such as its start. */
    static final String ALWAYS = "start";

    private final Map<String, String> head = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final Map<String, Map<String, Map<Metric, double[]>>> values = new LinkedHashMap<>();
    private final int rounds;

    Results(int rounds) {
        this.rounds = rounds;
    }

    int rounds() {
        return rounds;
    }

    /** Date, versions, machine: what the figures belong to. */
    Map<String, String> head() {
        return head;
    }

    /** What a reader has to know: targets left out, JVMs that did not settle. */
    List<String> notes() {
        return notes;
    }

    /** Measurements that did not count. With any, the run has failed. */
    List<String> failures() {
        return failures;
    }

    void put(String target, String scenario, int round, Map<Metric, Double> measured) {
        Map<Metric, double[]> series = values.computeIfAbsent(target, each -> new LinkedHashMap<>())
                .computeIfAbsent(scenario, each -> new EnumMap<>(Metric.class));
        measured.forEach((metric, value) -> series.computeIfAbsent(metric, each -> empty())[round] = value);
    }

    private double[] empty() {
        double[] empty = new double[rounds];
        Arrays.fill(empty, Double.NaN);
        return empty;
    }

    List<String> targets() {
        return List.copyOf(values.keySet());
    }

    List<String> scenarios(String target) {
        return List.copyOf(values.getOrDefault(target, Map.of()).keySet());
    }

    /** Metrics that some round has a value of. */
    Map<Metric, double[]> metrics(String target, String scenario) {
        return values.getOrDefault(target, Map.of()).getOrDefault(scenario, Map.of());
    }

    /** One value a round; all NaN for what was not measured. */
    double[] series(String target, String scenario, Metric metric) {
        double[] series = metrics(target, scenario).get(metric);
        return series == null ? empty() : series.clone();
    }

    Spread spread(String target, String scenario, Metric metric) {
        return Spread.of(series(target, scenario, metric));
    }

    /**
     * How often {@code target} has {@code peer}'s value, within each round: what slowed the machine down in one round slowed both. NaN
     * for a round in which one is missing or the peer's is zero.
     */
    double[] ratios(String target, String peer, String scenario, Metric metric) {
        return divided(series(target, scenario, metric), series(peer, scenario, metric));
    }

    static double[] divided(double[] upper, double[] lower) {
        double[] ratios = new double[upper.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = lower[i] == 0 ? Double.NaN : upper[i] / lower[i];
        }
        return ratios;
    }

    /** What a target adds to the same measurement without a proxy, within each round. */
    double[] added(String target, String scenario, Metric metric) {
        double[] with = series(target, scenario, metric);
        double[] without = series("direct", scenario, metric);
        double[] added = new double[with.length];
        for (int i = 0; i < added.length; i++) {
            added[i] = with[i] - without[i];
        }
        return added;
    }
}
