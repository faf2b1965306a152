package io.penstock.detect;

import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Saturation from what the engines say of themselves (spec/flow-control section 5.1): the mean over the endpoints of the larger of waiting
 * requests and KV-cache use, each over its threshold. An endpoint without a fresh sample counts as 1.0. Between two samples, what was
 * dispatched since counts as waiting, or a burst would all go through on one old sample; and each request that the sample saw and that
 * has ended since lets one of the waiting go on, or a quick engine would run dry before the next sample. Without state: any thread.
 */
final class UtilizationDetector implements SaturationDetector, EndpointFilter {

    static final String TYPE = "utilization-detector";

    private static final double SATURATED = 1.0;

    private final String name;
    private final DetectorEvents events;
    private final double queueThreshold;
    private final double kvCacheThreshold;
    private final long stalenessNanos;
    private final double headroom;
    private final boolean countDispatched;

    UtilizationDetector(String name, UtilizationConfig config, DetectorEvents events) {
        this.name = name;
        this.events = events;
        this.queueThreshold = config.queueDepthThreshold();
        this.kvCacheThreshold = config.kvCacheUtilThreshold();
        this.stalenessNanos = config.metricsStalenessNanos();
        this.headroom = config.headroom();
        this.countDispatched = config.countDispatchedSinceScrape();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double saturation(List<EndpointView> endpoints, long nowNanos) {
        return saturation(null, endpoints, nowNanos);
    }

    @Override
    public double saturation(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        int count = endpoints.size();
        double sum = 0;
        double sampledSum = 0;
        int stale = 0;
        for (int i = 0; i < count; i++) {
            EndpointView endpoint = endpoints.get(i);
            int dispatched = dispatched(endpoint);
            EngineSample sample = endpoint.sample();
            if (sample == null || isStale(sample, nowNanos)) {
                stale++;
                sum += SATURATED;
                sampledSum += SATURATED;
                continue;
            }
            int added = added(endpoint, dispatched);
            double sampled = score(sample, 0);
            double counted = added == 0 ? sampled : score(sample, added);
            if (counted >= SATURATED && sampled < SATURATED) {
                endpoint.requestSample();
            }
            sum += counted;
            sampledSum += sampled;
        }
        events.stale(name, stage, stale, nowNanos);
        if (count == 0) {
            return SATURATED;
        }
        double saturation = sum / count;
        if (saturation >= SATURATED && sampledSum / count < SATURATED) {
            requestSamples(endpoints);
        }
        return saturation;
    }

    /** The mean over the endpoints with a fresh sample alone. */
    @Override
    public double observed(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        double sum = 0;
        int seen = 0;
        for (int i = 0; i < endpoints.size(); i++) {
            EndpointView endpoint = endpoints.get(i);
            int dispatched = dispatched(endpoint);
            EngineSample sample = endpoint.sample();
            if (sample != null && !isStale(sample, nowNanos)) {
                sum += score(sample, added(endpoint, dispatched));
                seen++;
            }
        }
        return seen == 0 ? Double.NaN : sum / seen;
    }

    @Override
    public void left(@Nullable Stage stage) {
        events.left(name, stage);
    }

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        int dispatched = dispatched(endpoint);
        EngineSample sample = endpoint.sample();
        return sample == null || isStale(sample, nowNanos) ? SATURATED : score(sample, added(endpoint, dispatched));
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return true;
    }

    /**
     * {@inheritDoc} Kept are those with a fresh sample that is below both thresholds, stretched by the headroom. Where none is left, all
     * stay: a pool that is busy everywhere is better than no pool.
     */
    @Override
    public List<EndpointView> keep(List<? extends @Nullable EndpointView> endpoints, long nowNanos) {
        List<EndpointView> all = new ArrayList<>(endpoints.size());
        List<EndpointView> kept = new ArrayList<>(endpoints.size());
        for (EndpointView endpoint : endpoints) {
            if (endpoint == null) {
                continue;
            }
            all.add(endpoint);
            EngineSample sample = endpoint.sample();
            if (sample != null && !isStale(sample, nowNanos) && isBelow(sample)) {
                kept.add(endpoint);
            }
        }
        return kept.isEmpty() ? all : kept;
    }

    private boolean isBelow(EngineSample sample) {
        return sample.waiting() < queueThreshold * (1 + headroom) && sample.kvCacheUsage() < kvCacheThreshold * (1 + headroom);
    }

    // Always read before the sample: when a new sample comes in between, its requests are counted twice for a moment instead of not at all.
    private int dispatched(EndpointView endpoint) {
        return countDispatched ? endpoint.dispatchedSinceSample() : 0;
    }

    /**
     * By how much the engine's queue may have grown since the sample: by the dispatched, less one for each place that has come free. Read
     * after the sample, as the dispatched are read before it: a new sample in between is then corrected too little rather than too much.
     */
    private int added(EndpointView endpoint, int dispatched) {
        return countDispatched ? dispatched - endpoint.endedSinceSample() : 0;
    }

    // By difference, since a nanosecond clock may wrap; a sample that is newer than the reader's clock is fresh.
    private boolean isStale(EngineSample sample, long nowNanos) {
        return nowNanos - sample.atNanos() > stalenessNanos;
    }

    private double score(EngineSample sample, int added) {
        double queue = Math.max(0, (double) sample.waiting() + added) / queueThreshold;
        double kvCache = sample.kvCacheUsage() / kvCacheThreshold;
        double score = Math.max(queue, kvCache);
        // Not a number compares as below every ceiling: it would open the gate.
        return Double.isNaN(score) ? SATURATED : score;
    }

    private void requestSamples(List<EndpointView> endpoints) {
        for (int i = 0; i < endpoints.size(); i++) {
            EndpointView endpoint = endpoints.get(i);
            if (endpoint.dispatchedSinceSample() > 0) {
                endpoint.requestSample();
            }
        }
    }
}
