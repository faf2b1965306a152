package io.penstock.bench.headroom;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoublePredicate;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Holds what was measured against what an independent simulation expects, cell by cell. One thread. */
final class Verdicts {

    private static final double BLIND_REFUSED = 90;
    private static final double AIMD_REFUSED = 5;
    private static final double SLOT_POINTS = 3;
    private static final double WAIT_RATIO = 0.5;
    private static final double ADMISSION_REFUSED = 18;

    private final Map<String, List<Result>> results;
    private final List<Job> jobs;
    private final StringBuilder table = new StringBuilder("| Expected | holds in | farthest from it |\n|---|---|---|\n");

    Verdicts(List<Job> jobs, Map<String, List<Result>> results) {
        this.jobs = jobs;
        this.results = results;
    }

    /** One cell's figure, and whether it is as expected. */
    private record Check(String cell, double value, boolean holds) {
    }

    /** The table in Markdown; rows without cells are left out. */
    String text() {
        row("blind: more than 90 % of attempts refused", refused(Law.BLIND, value -> value > BLIND_REFUSED), false, "%");
        row("aimd: less than 5 % refused", refused(Law.AIMD, value -> value < AIMD_REFUSED), true, "%");
        for (Law law : List.of(Law.CREDIT, Law.LEVEL)) {
            row(law + ": none refused", refused(law, value -> value == 0), true, "%");
            row(law + ": slots busy within 3 points of blind", slots(law), true, "points below");
            row(law + ": p99 batch wait at most half of aimd's (all rounds together)", waits(law), true, "of aimd's");
        }
        row("credit on the admission's value: 18 % refused or more", admission(), false, "%");
        return table.toString();
    }

    private List<Job> matrix(Law law) {
        return jobs.stream().filter(job -> job.cell().law() == law && job.cell().group().equals(Matrix.MAIN)).toList();
    }

    private List<Result> runs(Job job) {
        return results.get(job.cell().key());
    }

    private List<Check> refused(Law law, DoublePredicate expected) {
        return matrix(law).stream().map(job -> {
            double value = Figure.REFUSED.median(runs(job));
            return new Check(place(job.cell()), value, expected.test(value));
        }).toList();
    }

    private List<Check> slots(Law law) {
        List<Check> checks = new ArrayList<>();
        for (Job job : matrix(law)) {
            Job blind = twin(job, Law.BLIND);
            if (blind != null) {
                double below = Figure.SLOTS.median(runs(blind)) - Figure.SLOTS.median(runs(job));
                checks.add(new Check(place(job.cell()), below, below <= SLOT_POINTS));
            }
        }
        return checks;
    }

    private List<Check> waits(Law law) {
        List<Check> checks = new ArrayList<>();
        for (Job job : matrix(law)) {
            Job aimd = twin(job, Law.AIMD);
            if (aimd != null) {
                double ratio = pooledP99(job) / Math.max(1, pooledP99(aimd));
                checks.add(new Check(place(job.cell()), ratio, ratio <= WAIT_RATIO));
            }
        }
        return checks;
    }

    private List<Check> admission() {
        return jobs.stream().filter(job -> job.stage() == Stage.SAMPLED && Stages.NOTED == job.cell().header()).map(job -> {
            double value = Figure.REFUSED.median(runs(job));
            return new Check(place(job.cell()), value, value >= ADMISSION_REFUSED);
        }).toList();
    }

    private double pooledP99(Job job) {
        Histogram all = new Histogram(runs(job).get(0).waits());
        runs(job).forEach(run -> all.add(run.waits()));
        return all.getValueAtPercentile(99);
    }

    private @Nullable Job twin(Job of, Law law) {
        Cell cell = of.cell();
        return matrix(law).stream().filter(job -> job.cell().band() == cell.band() && job.cell().load() == cell.load()
                && job.cell().dispatchers() == cell.dispatchers()).findFirst().orElse(null);
    }

    private static String place(Cell cell) {
        return "band " + cell.band() + ", load " + Math.round(cell.load() * 100) + " %, R=" + cell.dispatchers();
    }

    private void row(String expected, List<Check> checks, boolean largestIsWorst, String unit) {
        if (checks.isEmpty()) {
            return;
        }
        Check worst = checks.get(0);
        for (Check check : checks) {
            if (largestIsWorst ? check.value() > worst.value() : check.value() < worst.value()) {
                worst = check;
            }
        }
        long holds = checks.stream().filter(Check::holds).count();
        table.append(String.format(Locale.ROOT, "| %s | %d of %d | %.2f %s (%s) |\n", expected, holds, checks.size(), worst.value(), unit,
                worst.cell()));
    }
}
