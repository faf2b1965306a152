package io.penstock.proxy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.Stage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flow control's events as metrics, under llm-d's names (spec/flow-control section 10). Called on event loops and by the drainer: a request
 * costs four look-ups and some additions to cells of the calling loop, and allocates nothing once its flow is known.
 *
 * <p>The queue duration carries the effective priority, all else the requested one. A refusal that came before there was anything to
 * queue has no queue duration.
 */
public final class MeterFlowEvents implements FlowEvents {

    private static final Logger LOG = LoggerFactory.getLogger(MeterFlowEvents.class);
    private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What the flows of one priority share. */
    private record End(Outcome outcome, int priority) {
    }

    private final MeterRegistry registry;
    private final String pool;
    private final LongSupplier nanoClock;
    private final FlowSeriesTable flows;
    private final FlowFamilies families;
    private final LabelGuard failureLabels = new LabelGuard();
    private final DropSummary drops = new DropSummary();
    private final ConcurrentMap<End, LoopCells> ends = new ConcurrentHashMap<>();
    private final AtomicLong sweptAt;
    private final AtomicLong complainedAt;

    /**
     * @param export where the families go
     * @param pool value of the label {@code inference_pool}; empty when the pool has no name
     * @param nanoClock monotonic, in nanoseconds
     */
    public MeterFlowEvents(MetricsExport export, String pool, LongSupplier nanoClock) {
        this.registry = export.meters();
        this.pool = pool;
        this.nanoClock = nanoClock;
        this.flows = new FlowSeriesTable(new LabelGuard());
        this.families = new FlowFamilies(pool, flows);
        long now = nanoClock.getAsLong();
        this.sweptAt = new AtomicLong(now);
        this.complainedAt = new AtomicLong(now - QUIET_NANOS);
        export.collect(families);
        export.beforeScrape(this::sweep);
    }

    @Override
    public void submitted(FlowKey requested, long bytes) {
        flows.submit(requested, bytes);
    }

    @Override
    public void settled(FlowKey requested, FlowKey effective, Outcome outcome, long bytes, long waitedNanos) {
        FlowSeries own = flows.find(requested);
        if (outcome != Outcome.REJECTED_OTHER) {
            recordWait(own, effective, outcome, waitedNanos);
        }
        counter(own, outcome).add(0, 1);
        if (outcome != Outcome.DISPATCHED) {
            drops.count(outcome);
        }
        own.settle(bytes);
    }

    private void recordWait(FlowSeries own, FlowKey effective, Outcome outcome, long waitedNanos) {
        if (own.priority == effective.priority()) {
            own.recordOwn(outcome, waitedNanos);
            return;
        }
        FlowSeries series = flows.find(effective);
        while (!series.record(outcome, waitedNanos)) {
            series = flows.find(effective);
        }
    }

    private LoopCells counter(FlowSeries series, Outcome outcome) {
        LoopCells known = series.counter(outcome);
        if (known != null) {
            return known;
        }
        LoopCells made = ends.computeIfAbsent(new End(outcome, series.priority), this::register);
        series.counter(outcome, made);
        return made;
    }

    private LoopCells register(End end) {
        LoopCells count = new LoopCells(1);
        FunctionCounter.builder(FlowFamilies.PREFIX + "requests_total", count, cells -> cells.sum(0))
                .description("[ALPHA] Submissions to flow control by outcome.")
                .tags("outcome", end.outcome.label(), "priority", Integer.toString(end.priority), "inference_pool", pool)
                .register(registry);
        return count;
    }

    @Override
    public void enqueued(FlowKey effective, @Nullable Outcome outcome, long nanos) {
        FlowSeries series = flows.find(effective);
        while (!series.enqueued(outcome, nanos)) {
            series = flows.find(effective);
        }
    }

    @Override
    public void flowRemoved(FlowKey flow) {
        flows.forget(flow);
    }

    @Override
    public void revoked(int demandPriority, int requests) {
        Counter.builder(FlowFamilies.PREFIX + "revocations_issued_total")
                .description("[ALPHA] Running requests that were told to stop, by the priority that needed their place.")
                .tags("priority", Integer.toString(demandPriority), "inference_pool", pool)
                .register(registry)
                .increment(requests);
    }

    @Override
    public void revocationEnded(boolean confirmed, long nanos) {
        Counter.builder(FlowFamilies.PREFIX + "revocations_total")
                .description("[ALPHA] Revocations that ended: confirmed by the end of the request, or timed out.")
                .tags("outcome", confirmed ? "confirmed" : "timed_out", "inference_pool", pool)
                .register(registry)
                .increment();
        if (confirmed) {
            families.confirmed(nanos);
        }
    }

    @Override
    public void reclaimTarget(double target) {
        families.reclaimTarget(target);
    }

    @Override
    public void reclaimPending(double pending) {
        families.reclaimPending(pending);
    }

    @Override
    public void stageSaturation(Stage stage, double value) {
        families.stage(stage, value);
    }

    @Override
    public void stageEmpty(Stage stage) {
        families.stage(stage, Double.NaN);
    }

    @Override
    public void effectiveSaturation(double value) {
        families.effective(value);
    }

    @Override
    public void bandFill(int priority, long requests, long maxRequests, long bytes, long maxBytes) {
        families.band(priority, requests, maxRequests, bytes, maxBytes);
    }

    @Override
    public void bandRemoved(int priority) {
        families.bandGone(priority);
    }

    @Override
    public void globalFill(long requests, long maxRequests, long bytes, long maxBytes) {
        families.global(requests, maxRequests, bytes, maxBytes);
    }

    @Override
    public void decided(long nanos) {
        families.decided(nanos);
    }

    @Override
    public void fellBack(FlowKey requested) {
        Counter.builder("penstock_flow_fallbacks_total")
                .description("Submissions whose band was not provisioned and that band 0 took, by requested priority.")
                .tags("priority", Integer.toString(requested.priority()))
                .register(registry)
                .increment();
    }

    /** Counts each, and says it at most once a second: a broken policy fails at every decision. */
    @Override
    public void failed(String what, Throwable cause) {
        Counter.builder("penstock_flow_failures_total")
                .description("Policies, detectors and placements that threw.")
                .tags("what", failureLabels.label(what))
                .register(registry)
                .increment();
        long now = nanoClock.getAsLong();
        long last = complainedAt.get();
        if (now - last >= QUIET_NANOS && complainedAt.compareAndSet(last, now)) {
            LOG.error("{}: failed; its band is closed for this decision", what, cause);
        }
    }

    /** Logs one line that counts what was refused or expired since the last call, if anything was. The host calls it once a second. */
    public void logDrops() {
        String line = drops.take();
        if (!line.isEmpty()) {
            LOG.info("not dispatched: {}", line);
        }
    }

    private void sweep() {
        long now = nanoClock.getAsLong();
        long last = sweptAt.get();
        if (now - last >= SWEEP_NANOS && sweptAt.compareAndSet(last, now)) {
            flows.sweep();
        }
    }
}
