package io.penstock.bench.headroom;

import java.util.List;
import java.util.Map;

final class Report {
    private final List<Job> jobs;
    private final Map<String, List<Result>> results;

    Report(List<Job> jobs, Map<String, List<Result>> results, ExperimentOptions options, String robustness, long seconds) {
        this.jobs = jobs;
        this.results = results;
    }

    String text() {
        StringBuilder out = new StringBuilder();
        for (Job job : jobs) {
            out.append(job.cell().key());
            for (Figure figure : Figure.values()) {
                out.append(" | ").append(figure.text(results.get(job.cell().key())));
            }
            out.append('\n');
        }
        return out.toString();
    }
}
