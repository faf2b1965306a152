package io.penstock.bench.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Compares two runs by the ratios of Penstock's rows to their peers', since absolute figures say as much of the day as of the program. A
 * ratio is worse when its range lies wholly beyond the old one's and its median has moved by more than the tolerance. No state; any
 * thread.
 */
final class Guard {

    /** What of a scenario is compared, as ratios to each peer. */
    private static final List<Metric> COMPARED = List.of(Metric.PER_SECOND, Metric.CPU, Metric.MEAN, Metric.P50, Metric.P99);
    private static final List<String> PEERS = List.of("haproxy", "envoy", "haproxy-h2c", "envoy-h2c");

    /** How one ratio has moved. */
    enum Verdict { SAME, BETTER, WORSE, MISSING, NEW }

    /**
     * One ratio in both runs.
     *
     * @param name target, scenario, metric and peer
     * @param kept in the run that is kept
     * @param fresh in the new run
     */
    record Line(String name, Spread kept, Spread fresh, Verdict verdict) {

        String text() {
            return String.format(Locale.ROOT, "%-8s %-58s %s -> %s", verdict, name, kept.text(3), fresh.text(3));
        }
    }

    private final double tolerance;

    /** @param tolerance by how much a median may move, such as 0.05 for 5 % */
    Guard(double tolerance) {
        this.tolerance = tolerance;
    }

    List<Line> compare(Results kept, Results fresh) {
        Map<String, Spread> before = ratios(kept);
        Map<String, Spread> now = ratios(fresh);
        List<Line> lines = new ArrayList<>();
        before.forEach((name, spread) -> lines.add(line(name, spread, now.getOrDefault(name, Spread.of()))));
        now.forEach((name, spread) -> {
            if (!before.containsKey(name)) {
                lines.add(new Line(name, Spread.of(), spread, Verdict.NEW));
            }
        });
        return lines;
    }

    /** Whether the new run passes: nothing is worse, nothing is missing, and there was something to compare. */
    static boolean passes(List<Line> lines) {
        return lines.stream().anyMatch(line -> line.verdict() == Verdict.SAME || line.verdict() == Verdict.BETTER)
                && lines.stream().noneMatch(line -> line.verdict() == Verdict.WORSE || line.verdict() == Verdict.MISSING);
    }

    private Line line(String name, Spread kept, Spread fresh) {
        if (!fresh.known()) {
            return new Line(name, kept, fresh, Verdict.MISSING);
        }
        boolean more = name.contains(" " + Metric.PER_SECOND.key() + " ");
        return new Line(name, kept, fresh, more ? verdict(inverse(kept), inverse(fresh)) : verdict(kept, fresh));
    }

    private Verdict verdict(Spread kept, Spread fresh) {
        if (fresh.min() > kept.max() && fresh.median() > kept.median() * (1 + tolerance)) {
            return Verdict.WORSE;
        }
        if (fresh.max() < kept.min() && fresh.median() < kept.median() * (1 - tolerance)) {
            return Verdict.BETTER;
        }
        return Verdict.SAME;
    }

    /** So that less is better for everything that is compared. */
    private static Spread inverse(Spread spread) {
        return new Spread(1 / spread.median(), 1 / spread.max(), 1 / spread.min(), spread.count());
    }

    private static Map<String, Spread> ratios(Results results) {
        Map<String, Spread> ratios = new LinkedHashMap<>();
        for (String target : results.targets()) {
            if (!target.startsWith("penstock")) {
                continue;
            }
            for (String scenario : results.scenarios(target)) {
                for (Metric metric : COMPARED) {
                    PEERS.stream().filter(peer -> target.endsWith("-h2c") == peer.endsWith("-h2c"))
                            .forEach(peer -> add(ratios, results, target, scenario, metric, peer));
                }
            }
            if (target.endsWith("-off")) {
                String on = target.substring(0, target.length() - "-off".length());
                results.scenarios(target).forEach(scenario -> add(ratios, results, on, scenario, Metric.CPU, target));
            }
        }
        return ratios;
    }

    private static void add(Map<String, Spread> ratios, Results results, String target, String scenario, Metric metric, String peer) {
        Spread spread = Spread.of(results.ratios(target, peer, scenario, metric));
        // A zero is no measurement: nothing costs nothing.
        if (spread.known() && spread.min() > 0 && Double.isFinite(spread.max())) {
            ratios.put(target + " " + scenario + " " + metric.key() + " / " + peer, spread);
        }
    }
}
