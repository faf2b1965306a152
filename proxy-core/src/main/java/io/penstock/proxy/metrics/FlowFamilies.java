package io.penstock.proxy.metrics;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.Outcome;
import io.penstock.flow.Stage;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The gauges and histograms of flow control, collected from their live state (spec/flow-control section 10). Written by the drainer, read
 * by scrapes: every field is safe for any thread.
 */
final class FlowFamilies implements MultiCollector {

    static final String PREFIX = "llm_d_epp_flow_control_";
    private static final String ALPHA = "[ALPHA] ";
    private static final Outcome[] OUTCOMES = Outcome.values();
    private static final Stage[] STAGES = Stage.values();
    private static final int EFFECTIVE = STAGES.length;
    private static final VarHandle SATURATION = MethodHandles.arrayElementVarHandle(double[].class);

    private record Fill(long requests, long maxRequests, long bytes, long maxBytes) {
    }

    private final String pool;
    private final FlowSeriesTable flows;
    private final Timings decisions = new Timings(Buckets.DECISION);
    /** By stage, and the effective one; NaN where there is none. They change with every dispatch: an object or a fence for each is dear. */
    private final double[] saturations = new double[STAGES.length + 1];
    private final Map<Integer, Fill> bands = new ConcurrentHashMap<>();
    private final Timings confirmations = new Timings(Buckets.REVOCATION);
    private volatile @Nullable Double reclaimTarget;
    private volatile @Nullable Double reclaimPending;
    private volatile @Nullable Fill global;

    FlowFamilies(String pool, FlowSeriesTable flows) {
        this.pool = pool;
        this.flows = flows;
        Arrays.fill(saturations, Double.NaN);
    }

    void decided(long nanos) {
        decisions.record(nanos);
    }

    void stage(Stage stage, double value) {
        SATURATION.setRelease(saturations, stage.ordinal(), value);
    }

    void effective(double value) {
        SATURATION.setRelease(saturations, EFFECTIVE, value);
    }

    void confirmed(long nanos) {
        confirmations.record(nanos);
    }

    void reclaimTarget(double target) {
        reclaimTarget = target;
    }

    void reclaimPending(double pending) {
        reclaimPending = pending;
    }

    void band(int priority, long requests, long maxRequests, long bytes, long maxBytes) {
        bands.put(priority, new Fill(requests, maxRequests, bytes, maxBytes));
    }

    void bandGone(int priority) {
        bands.remove(priority);
    }

    void global(long requests, long maxRequests, long bytes, long maxBytes) {
        global = new Fill(requests, maxRequests, bytes, maxBytes);
    }

    @Override
    public MetricSnapshots collect() {
        Families families = new Families();
        for (FlowSeries series : flows.all()) {
            flow(families, series);
        }
        families.histogram(PREFIX + "dispatch_cycle_duration_seconds", ALPHA + "Time that one dispatch decision took.", decisions,
                Labels.EMPTY);
        for (Stage stage : STAGES) {
            saturation(families, stage.label(), stage.ordinal());
        }
        saturation(families, "effective", EFFECTIVE);
        bands.forEach((priority, fill) -> fill(families, "", fill,
                Labels.of("inference_pool", pool, "priority", Integer.toString(priority))));
        Fill all = global;
        if (all != null) {
            fill(families, "global_", all, Labels.of("inference_pool", pool));
        }
        eviction(families, Labels.of("inference_pool", pool));
        return families.snapshots();
    }

    /** Shown from the first sizing on, so never where eviction is off. */
    private void eviction(Families families, Labels labels) {
        families.gauge(PREFIX + "reclaim_target", ALPHA + "Saturation to be reclaimed by revocations, at the last sizing.", reclaimTarget,
                labels);
        families.gauge(PREFIX + "pending_reclaim", ALPHA + "Saturation that revocations under way will give back.", reclaimPending, labels);
        if (reclaimTarget != null) {
            families.histogram(PREFIX + "revocation_confirmation_seconds", ALPHA + "Time from a revocation to the end of its request.",
                    confirmations, labels);
        }
    }

    private void flow(Families families, FlowSeries series) {
        if (series.retired()) {
            return;
        }
        String priority = Integer.toString(series.priority);
        Labels queue = Labels.of("fairness_id", series.fairnessId, "priority", priority, "inference_pool", pool, "model_name", "",
                "target_model_name", "");
        families.gauge(PREFIX + "queue_size", ALPHA + "Requests submitted and not yet settled.", series.queueSize(), queue);
        families.gauge(PREFIX + "queue_bytes", ALPHA + "Body bytes of requests submitted and not yet settled.", series.queueBytes(), queue);
        for (Outcome outcome : OUTCOMES) {
            Timings waits = series.waits(outcome);
            if (waits != null) {
                families.histogram(PREFIX + "request_queue_duration_seconds", ALPHA + "Time from submission to the outcome.", waits,
                        queue.add("outcome", outcome.label()));
            }
            enqueue(families, series, outcome, outcome.label());
        }
        enqueue(families, series, null, "NotYetFinalized");
    }

    private static void enqueue(Families families, FlowSeries series, @Nullable Outcome outcome, String label) {
        Timings timings = series.enqueues(outcome);
        if (timings != null) {
            families.histogram(PREFIX + "request_enqueue_duration_seconds", ALPHA + "Time from submission to the place in the queue, or to "
                    + "the outcome that came before.", timings, Labels.of("fairness_id", series.fairnessId, "priority",
                    Integer.toString(series.priority), "outcome", label));
        }
    }

    private void saturation(Families families, String stage, int of) {
        double value = (double) SATURATION.getAcquire(saturations, of);
        if (Double.isNaN(value)) {
            return;
        }
        families.gauge(PREFIX + "pool_saturation", ALPHA + "Saturation of the pool by stage; 1 is the set point, what dispatch is gated on "
                + "is \"effective\".", value, Labels.of("inference_pool", pool, "stage", stage));
    }

    /** What has no limit has no utilization. */
    private static void fill(Families families, String scope, Fill fill, Labels labels) {
        String of = scope.isEmpty() ? "a band's" : "the global";
        if (fill.maxRequests != CapacitySnapshot.UNBOUNDED) {
            families.gauge(PREFIX + scope + "capacity_utilization_requests", ALPHA + "Waiting requests, as a fraction of " + of + " limit.",
                    (double) fill.requests / fill.maxRequests, labels);
        }
        if (fill.maxBytes != CapacitySnapshot.UNBOUNDED) {
            families.gauge(PREFIX + scope + "capacity_utilization_bytes", ALPHA + "Waiting bytes, as a fraction of " + of + " limit.",
                    (double) fill.bytes / fill.maxBytes, labels);
        }
    }
}
