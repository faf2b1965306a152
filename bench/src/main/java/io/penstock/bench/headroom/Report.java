package io.penstock.bench.headroom;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page of figures that a run writes, in Markdown. One thread. */
final class Report {

    private final List<Job> jobs;
    private final Map<String, List<Result>> results;
    private final ExperimentOptions options;
    private final String robustness;
    private final Machine machine;

    Report(List<Job> jobs, Map<String, List<Result>> results, ExperimentOptions options, String robustness, Machine machine) {
        this.jobs = jobs;
        this.results = results;
        this.options = options;
        this.robustness = robustness;
        this.machine = machine;
    }

    /**
     * What the figures were taken on.
     *
     * @param loadBefore runnable threads, mean of a minute, before the run
     * @param loadAfter and after it
     * @param seconds that the run took
     */
    record Machine(double loadBefore, double loadAfter, long seconds) {

        /** The mean number of runnable threads in the last minute; negative where the system does not say. */
        static double load() {
            return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        }

        private String text() {
            return String.format(Locale.ROOT, "%s %s, Java %s, %d processors, load average %.1f before and %.1f after (the run by itself "
                    + "is about one), %d min %d s", System.getProperty("os.name"), System.getProperty("os.version"), Runtime.version(),
                    Runtime.getRuntime().availableProcessors(), loadBefore, loadAfter, seconds / 60, seconds % 60);
        }
    }

    String text() {
        StringBuilder out = new StringBuilder("# What the headroom header is worth: figures\n\n")
                .append("Written by `bench/headroom.sh`; [headroom.md](../headroom.md) says what they mean. Median of ")
                .append(options.rounds()).append(" interleaved rounds, least and most in brackets.\n\nTaken on ").append(machine.text())
                .append(".\n");
        section(out, "Expected and found", new Verdicts(jobs, results).text());
        for (double load : Matrix.LOADS) {
            for (int band : Matrix.BANDS) {
                rows(out, String.format(Locale.ROOT, "Band of %d, interactive load %.0f %%", band, load * 100), jobs.stream()
                        .filter(job -> job.cell().group().equals(Matrix.MAIN) && job.cell().band() == band && job.cell().load() == load)
                        .toList());
            }
        }
        rows(out, "Requests of 0.5 s, band of 16, interactive load 20 %", group(Matrix.SLOW_SERVICE));
        rows(out, "Over HTTP/1.1, band of 16, interactive load 20 %", group(Matrix.HTTP1));
        rows(out, "Ablations, interactive load 20 %", group(Matrix.ABLATIONS));
        section(out, "Nothing is lost", robustness);
        return out.toString();
    }

    private List<Job> group(String name) {
        return jobs.stream().filter(job -> job.cell().group().equals(name)).toList();
    }

    private static void section(StringBuilder out, String title, String body) {
        if (!body.isEmpty()) {
            out.append("\n## ").append(title).append("\n\n").append(body);
        }
    }

    private void rows(StringBuilder out, String title, List<Job> rows) {
        if (rows.isEmpty()) {
            return;
        }
        StringBuilder table = new StringBuilder("| law | R |");
        for (Figure figure : Figure.values()) {
            table.append(' ').append(figure.title()).append(" |");
        }
        table.append("\n|---|---|").append("---|".repeat(Figure.values().length)).append('\n');
        for (Job job : rows) {
            table.append("| ").append(job.cell().label()).append(" | ").append(job.cell().dispatchers()).append(" |");
            for (Figure figure : Figure.values()) {
                table.append(' ').append(figure.text(results.get(job.cell().key()))).append(" |");
            }
            table.append('\n');
        }
        section(out, title, table.toString());
    }
}
