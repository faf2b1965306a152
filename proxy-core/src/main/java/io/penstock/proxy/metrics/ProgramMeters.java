package io.penstock.proxy.metrics;

import io.penstock.flow.policy.ProgramsView;
import io.penstock.flow.policy.ProgramsView.ProgramView;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.Supplier;

/**
 * What program-aware fairness knows of its programs (spec/flow-control sections 4.6 and 10), read at each scrape: a program that it has
 * forgotten has no series any more. Any thread.
 */
public final class ProgramMeters {

    private static final String PREFIX = "llm_d_epp_program_aware_";
    private static final String ALPHA = "[ALPHA] ";

    private final Supplier<List<ProgramsView>> programs;
    private final LabelGuard guard = new LabelGuard();

    /** @param programs of each program-aware plugin; empty without one */
    public ProgramMeters(MetricsExport export, Supplier<List<ProgramsView>> programs) {
        this.programs = programs;
        export.collect(this::collect);
    }

    private MetricSnapshots collect() {
        Families families = new Families();
        for (ProgramsView plugin : programs.get()) {
            families.gauge(PREFIX + "jains_fairness_index", ALPHA + "How alike the programs' average waits are, 1 for all the same.",
                    plugin.jainIndex(), Labels.EMPTY);
            for (ProgramView program : plugin.programs()) {
                program(families, program);
            }
        }
        return families.snapshots();
    }

    private void program(Families families, ProgramView program) {
        Labels labels = Labels.of("program_id", guard.label(program.program()));
        families.gauge(PREFIX + "avg_wait_time_milliseconds", ALPHA + "Mean wait of a program's dispatched requests.",
                program.averageWaitMillis(), labels);
        families.gauge(PREFIX + "attained_service_tokens", ALPHA + "Tokens that a program has received, older ones decayed.",
                program.attainedService(), labels);
    }
}
