package io.penstock.bench.headroom;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The short tables of the page of prose: medians only. One thread. */
final class Glance {

    private final List<Job> jobs;
    private final Map<String, List<Result>> results;

    Glance(List<Job> jobs, Map<String, List<Result>> results) {
        this.jobs = jobs;
        this.results = results;
    }

    /** By the name of their place in the page; empty where a cell of the table was not measured. */
    Map<String, String> tables(String robustness) {
        Map<String, String> tables = new LinkedHashMap<>();
        for (double load : Matrix.LOADS) {
            tables.put("matrix " + Math.round(load * 100), matrix(load));
        }
        tables.put("ablations", ablations());
        tables.put("robustness", robustness);
        return tables;
    }

    private String matrix(double load) {
        StringBuilder table = new StringBuilder("| Law |");
        for (int band : Matrix.BANDS) {
            for (int dispatchers : Matrix.DISPATCHERS) {
                table.append(" band ").append(band).append(", R=").append(dispatchers).append(" |");
            }
        }
        table.append("\n|---|").append("---|".repeat(Matrix.BANDS.length * Matrix.DISPATCHERS.length)).append('\n');
        for (Law law : Law.values()) {
            List<Job> row = jobs.stream().filter(job -> job.cell().group().equals(Matrix.MAIN) && job.cell().load() == load
                    && job.cell().law() == law).toList();
            if (row.size() != Matrix.BANDS.length * Matrix.DISPATCHERS.length) {
                return "";
            }
            table.append("| `").append(law).append("` | ").append(row.stream().map(this::short3).collect(Collectors.joining(" | ")))
                    .append(" |\n");
        }
        return table.toString();
    }

    private String short3(Job job) {
        List<Result> runs = results.get(job.cell().key());
        return String.format(Locale.ROOT, "%.1f / %.1f / %.0f ms", Figure.REFUSED.median(runs), Figure.SLOTS.median(runs),
                Figure.WAIT_P99.median(runs));
    }

    private String ablations() {
        StringBuilder table = new StringBuilder("| Cell | R | band | refused % | slots busy % | batch wait p50, p99 |\n")
                .append("|---|---|---|---|---|---|\n");
        for (Job job : jobs) {
            Cell cell = job.cell();
            List<Result> runs = results.get(cell.key());
            if (cell.group().equals(Matrix.ABLATIONS)) {
                table.append(String.format(Locale.ROOT, "| %s | %d | %d | %.1f | %.1f | %.0f, %.0f ms |\n", cell.label(),
                        cell.dispatchers(), cell.band(), Figure.REFUSED.median(runs), Figure.SLOTS.median(runs),
                        Figure.WAIT_P50.median(runs), Figure.WAIT_P99.median(runs)));
            }
        }
        return jobs.stream().anyMatch(job -> job.cell().group().equals(Matrix.ABLATIONS)) ? table.toString() : "";
    }
}
