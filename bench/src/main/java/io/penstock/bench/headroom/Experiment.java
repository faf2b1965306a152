package io.penstock.bench.headroom;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * What the headroom header is worth, measured on the product: every cell of {@link Matrix} once a round, in another order each round, then
 * tables and pictures. Options: {@code --quick}, {@code --only REGEX} (of a cell's key), {@code --rounds N}, {@code --out DIR}.
 */
public final class Experiment {

    private static final String PAGE = "headroom.md";

    private final ExperimentOptions options;
    private final Map<String, List<Result>> results = new LinkedHashMap<>();
    private final List<Job> jobs;

    private Experiment(ExperimentOptions options) {
        this.options = options;
        jobs = Matrix.jobs(options.times(), options.busier(), options.longer()).stream()
                .filter(job -> options.wants(job.cell().key())).toList();
        jobs.forEach(job -> results.put(job.cell().key(), new ArrayList<>()));
    }

    /** Runs it; exits with 1 and a message when something was lost or did not end. */
    public static void main(String[] args) throws Exception {
        ExperimentOptions options;
        try {
            options = ExperimentOptions.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println("headroom: " + e.getMessage());
            System.exit(2);
            return;
        }
        new Experiment(options).run();
    }

    private void run() throws Exception {
        long begun = System.nanoTime();
        double loadBefore = Report.Machine.load();
        Files.createDirectories(options.out());
        String robustness;
        try (Bench bench = new Bench(50); Stages stages = new Stages(bench, options.root())) {
            warmUp(bench, stages);
            for (int round = 0; round < options.rounds(); round++) {
                round(bench, stages, round, begun);
            }
            robustness = options.wants(Robustness.KEY) ? Robustness.run(bench, options.root()) : "";
        }
        Report.Machine machine = new Report.Machine(loadBefore, Report.Machine.load(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
        Report report = new Report(jobs, results, options, robustness, machine);
        Files.writeString(options.out().resolve("figures.md"), report.text());
        System.out.println(report.text());
        refresh(options.out().resolveSibling(PAGE), robustness);
    }

    /** The page of prose lies beside the directory of figures; elsewhere there is none. */
    private void refresh(Path page, String robustness) throws IOException {
        if (Files.exists(page)) {
            Files.writeString(page, Page.with(Files.readString(page), new Glance(jobs, results).tables(robustness)));
        }
    }

    /** So that no cell pays for compiling the code. */
    private void warmUp(Bench bench, Stages stages) throws IOException {
        for (Stage stage : Stage.values()) {
            if (jobs.stream().anyMatch(job -> job.stage() == stage)) {
                Cell cell = Cell.of("warm-up", Law.AIMD, 4, 16, 0.5, new Cell.Times(500, options.warmUpMillis()));
                CellRun.run(bench, cell, stages.ready(stage, 16), 1, null);
            }
        }
    }

    private void round(Bench bench, Stages stages, int round, long begun) throws IOException {
        List<Job> order = new ArrayList<>(jobs);
        Collections.shuffle(order, new Random(round));
        int done = 0;
        for (Job job : order) {
            boolean draw = round == 0 && !job.picture().isEmpty();
            Series series = draw ? new Series() : null;
            Result result = CellRun.run(bench, job.cell(), stages.ready(job.stage(), job.cell().band()), 1000L * round + done, series);
            if (result.impossible() > 0 && Stages.NOTED != job.cell().header()) {
                throw new IllegalStateException(job.cell().key() + ": " + result.impossible()
                        + " heads with more headroom than the band has places (expected: none)");
            }
            results.get(job.cell().key()).add(result);
            if (series != null) {
                Path file = options.out().resolve(job.picture() + ".svg");
                Files.writeString(file, Picture.of(job.cell(), series));
            }
            done++;
            System.err.printf("%4d s  round %d, %d of %d: %s: refused %.1f %%, slots %.1f %%, wait %.0f/%.0f ms%n",
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun), round + 1, done, order.size(), job.cell().key(),
                    result.refusedPercent(), result.slotPercent(), result.waitMedian(), result.waitP99());
        }
    }
}
