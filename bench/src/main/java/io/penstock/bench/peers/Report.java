package io.penstock.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The results as text that is Markdown and reads well in a terminal too. No state; any thread. */
final class Report {

    private static final List<String> PEERS = List.of("haproxy", "envoy", "envoy-picker");

    private final Results results;
    private final StringBuilder text = new StringBuilder();

    private Report(Results results) {
        this.results = results;
    }

    static String of(Results results) {
        Report report = new Report(results);
        report.head();
        for (Scenario scenario : Scenario.values()) {
            report.scenario(scenario);
        }
        report.contract();
        return report.text.toString();
    }

    private void head() {
        results.failures().forEach(failure -> line("**FAILED**: " + failure));
        if (!results.failures().isEmpty()) {
            line("");
        }
        results.head().forEach((key, value) -> line("* " + key + ": " + value));
        results.notes().forEach(note -> line("* " + note));
        line("");
    }

    private void scenario(Scenario scenario) {
        List<String> targets = results.targets().stream().filter(target -> results.scenarios(target).contains(scenario.label())).toList();
        if (targets.isEmpty()) {
            return;
        }
        line("**" + scenario.label() + "**: " + scenario.title());
        line("");
        if (scenario.load() == Scenario.Load.LATENCY) {
            latency(targets, scenario);
        } else {
            table(targets, scenario, scenario.load() == Scenario.Load.FIRST_EVENT ? Metric.P50 : Metric.CPU, columns(scenario.load()));
        }
        line("");
    }

    private static List<Column> columns(Scenario.Load load) {
        return switch (load) {
            case CLOSED -> List.of(new Column("requests/s", Metric.PER_SECOND, 0), new Column("CPU us/request", Metric.CPU, 1),
                    new Column("mean us", Metric.MEAN, 0), new Column("switches", Metric.SWITCHES, 2), new Column("MiB", Metric.RSS, 0),
                    new Column("peak", Metric.PEAK, 0));
            case RATE -> List.of(new Column("p50 us", Metric.P50, 0), new Column("p99 us", Metric.P99, 0),
                    new Column("p99.9 us", Metric.P999, 0), new Column("CPU us/request", Metric.CPU, 1),
                    new Column("unanswered", Metric.UNANSWERED, 0), new Column("client late p99 us", Metric.LATE, 0));
            case LATENCY, FIRST_EVENT -> List.of(new Column("p50 us", Metric.P50, 0), new Column("p99 us", Metric.P99, 0));
            case PACED, FLAT -> List.of(new Column("events/s", Metric.PER_SECOND, 0), new Column("CPU us/event", Metric.CPU, 2),
                    new Column("MiB", Metric.RSS, 0));
        };
    }

    private void table(List<String> targets, Scenario scenario, Metric compared, List<Column> columns) {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("target"));
        columns.forEach(column -> head.add(column.title()));
        List<String> peers = PEERS.stream().filter(results.targets()::contains).toList();
        peers.forEach(peer -> head.add(compared.key() + " x " + peer));
        rows.add(head);
        for (String target : targets) {
            List<String> row = new ArrayList<>(List.of(target));
            columns.forEach(column -> row.add(results.spread(target, scenario.label(), column.metric()).text(column.decimals())));
            peers.forEach(peer -> row.add(ratio(target, peer, scenario, compared)));
            rows.add(row);
        }
        rows(rows);
    }

    /** What is sent to backends over h2c is compared with the peer that does the same. */
    private String ratio(String target, String peer, Scenario scenario, Metric metric) {
        String same = target.endsWith("-h2c") ? peer + "-h2c" : peer;
        return target.equals(same) ? "1" : Spread.of(results.ratios(target, same, scenario.label(), metric)).text(2);
    }

    private void latency(List<String> targets, Scenario scenario) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("target", "mean us", "p50 us", "p99 us", "added mean us", "added p50 us", "added p99 us"));
        for (String target : targets) {
            List<String> row = new ArrayList<>(List.of(target));
            for (Metric metric : List.of(Metric.MEAN, Metric.P50, Metric.P99)) {
                row.add(results.spread(target, scenario.label(), metric).text(0));
            }
            for (Metric metric : List.of(Metric.MEAN, Metric.P50, Metric.P99)) {
                row.add(target.equals("direct") ? "-" : Spread.of(results.added(target, scenario.label(), metric)).text(0));
            }
            rows.add(row);
        }
        rows(rows);
    }

    private void contract() {
        List<Contract.Row> held = Contract.rows(results);
        if (held.isEmpty()) {
            return;
        }
        line("**Held to**: the median of the rounds against each figure of the contract");
        line("");
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("what", "measured", "at most", ""));
        held.forEach(row -> rows.add(List.of(row.what(), row.measuredText(), row.goalText(), row.verdict())));
        rows(rows);
        Map<String, Long> counts = new TreeMap<>();
        held.forEach(row -> counts.merge(row.verdict(), 1L, Long::sum));
        line("");
        line(counts.toString().replaceAll("[{}]", "").replace("=", ": "));
    }

    /** The first row is the head. */
    private void rows(List<List<String>> rows) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(Math.max(3, widths[i]), row.get(i).length());
            }
        }
        for (int r = 0; r < rows.size(); r++) {
            StringBuilder line = new StringBuilder("|");
            for (int i = 0; i < columns; i++) {
                String format = " %" + (i == 0 ? "-" : "") + widths[i] + "s |";
                line.append(String.format(Locale.ROOT, format, rows.get(r).get(i)));
            }
            line(line.toString());
            if (r == 0) {
                StringBuilder rule = new StringBuilder("|");
                for (int i = 0; i < columns; i++) {
                    rule.append(i == 0 ? " " + "-".repeat(widths[i]) + " |" : " " + "-".repeat(widths[i] - 1) + ": |");
                }
                line(rule.toString());
            }
        }
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private record Column(String title, Metric metric, int decimals) {
    }
}
