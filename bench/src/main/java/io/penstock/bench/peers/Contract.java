package io.penstock.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The figures that the product is held to, one line each: what was measured, the goal, the floor where there is one, and whether it was
 * met. A line stands on the median; its range is shown beside it. No state; any thread.
 */
final class Contract {

    /**
     * One figure.
     *
     * @param what is held to it, with the target
     * @param measured value or ratio
     * @param goal at most this
     * @param floor at most this in any case; the goal again where there is no floor
     */
    record Row(String what, Spread measured, double goal, double floor, String unit) {

        String verdict() {
            if (!measured.known()) {
                return "not measured";
            }
            if (measured.median() <= goal) {
                return "met";
            }
            return measured.median() <= floor ? "floor met" : "NOT MET";
        }

        String goalText() {
            String text = number(goal) + unit;
            return floor > goal ? text + ", floor " + number(floor) + unit : text;
        }

        private static String number(double value) {
            return value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value) : String.format(Locale.ROOT, "%.3g", value)
                    .replaceFirst("(\\.\\d*?)0+$", "$1");
        }

        String measuredText() {
            return measured.text(unit.equals(" x") ? 2 : 1);
        }
    }

    private static final String RATIO = " x";
    private static final String NONE = "direct";
    /** The short set has such a row on one JDK only; where there is none at all, the figure stands as not measured. */
    private static final Predicate<String> H2C = target -> target.startsWith("penstock") && target.endsWith("-h2c");

    private final Results results;
    private final List<Row> rows = new ArrayList<>();

    private Contract(Results results) {
        this.results = results;
    }

    /** The lines for every Penstock row with flow control on that was measured. */
    static List<Row> rows(Results results) {
        Contract contract = new Contract(results);
        results.targets().stream().filter(target -> target.matches("penstock-\\d+")).forEach(contract::all);
        return contract.rows;
    }

    private void all(String target) {
        for (Scenario busy : List.of(Scenario.CLOSED_8X16, Scenario.CLOSED_32X32)) {
            ratio(target, "envoy", busy, Metric.CPU, "CPU/request", 0.30, 0.45);
            ratio(target, "haproxy", busy, Metric.CPU, "CPU/request", 0.95, 1.4);
            ratio(target, "envoy-picker", busy, Metric.CPU, "CPU/request", 1 / 30.0, 1 / 30.0);
            if (results.targets().contains(target + "-h2c") || results.targets().stream().noneMatch(H2C)) {
                ratio(target + "-h2c", "haproxy-h2c", busy, Metric.CPU, "CPU/request, h2c out", 1, 1);
            }
            onAgainstOff(target, busy);
        }
        ratio(target, "envoy", Scenario.CLOSED_1X1, Metric.CPU, "CPU/request", 0.6, 0.6);
        ratio(target, "haproxy", Scenario.CLOSED_1X1, Metric.CPU, "CPU/request", 1.1, 1.1);
        for (Scenario events : List.of(Scenario.SSE_100, Scenario.SSE_FLAT)) {
            ratio(target, "haproxy", events, Metric.CPU, "CPU/event", 1, 1);
            ratio(target, "envoy", events, Metric.CPU, "CPU/event", 0.8, 0.8);
            ratio(target, "envoy-picker", events, Metric.CPU, "CPU/event", 1 / 8.0, 1 / 8.0);
        }
        ratio(target, "haproxy", Scenario.FIRST_EVENT, Metric.P50, "time to first event p50", 1.5, 1.5);
        ratio(target, "envoy-picker", Scenario.FIRST_EVENT, Metric.P50, "time to first event p50", 0.1, 0.1);
        for (Metric latency : List.of(Metric.MEAN, Metric.P99)) {
            added(target, "envoy", latency, 1);
            added(target, "envoy-picker", latency, 0.2);
        }
        value(target, Scenario.RATE.label(), Metric.OWN, "last header to dispatch p50", 11, " us");
        value(target, Scenario.CLOSED_8X16.label(), Metric.RSS, "resident", 256, " MiB");
        value(target, Scenario.CLOSED_32X32.label(), Metric.RSS, "resident", 256, " MiB");
        value(target, Results.ALWAYS, Metric.START, "start to /ready, on one core", 700, " ms");
    }

    private void ratio(String target, String peer, Scenario scenario, Metric metric, String what, double goal, double floor) {
        if (!peer.equals("envoy-picker") || results.targets().contains(peer)) {
            rows.add(new Row(target + ", " + scenario.label() + ": " + what + " against " + peer,
                    Spread.of(results.ratios(target, peer, scenario.label(), metric)), goal, floor, RATIO));
        }
    }

    private void onAgainstOff(String target, Scenario scenario) {
        if (results.targets().contains(target + "-off")) {
            ratio(target, target + "-off", scenario, Metric.CPU, "CPU/request, flow control on", 1.05, 1.05);
        }
    }

    private void added(String target, String peer, Metric metric, double goal) {
        if (results.targets().contains(NONE) && (!peer.equals("envoy-picker") || results.targets().contains(peer))) {
            String label = Scenario.LATENCY.label();
            double[] ratios = Results.divided(results.added(target, label, metric), results.added(peer, label, metric));
            rows.add(new Row(target + ", " + label + ": added " + metric.key() + " against " + peer, Spread.of(ratios), goal, goal, RATIO));
        }
    }

    private void value(String target, String scenario, Metric metric, String what, double goal, String unit) {
        double[] values = results.series(target, scenario, metric);
        if (IntStream.range(0, values.length).anyMatch(round -> !Double.isNaN(values[round]))) {
            rows.add(new Row(target + ", " + scenario + ": " + what, Spread.of(values), goal, goal, unit));
        }
    }
}
