package io.penstock.detect;

import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.SaturationDetector;
import java.util.List;
import java.util.function.ObjIntConsumer;

/**
 * Saturation from what the engines say of themselves (spec/flow-control section 5.1): the mean over the endpoints of the larger of waiting
 * requests and KV-cache use, each over its threshold. An endpoint without a fresh sample counts as 1.0. Between two samples, what was
 * dispatched since counts as waiting, or a burst would all go through on one old sample. Without state: any thread.
 */
final class UtilizationDetector implements SaturationDetector {

    static final String TYPE = "utilization-detector";

    private static final double SATURATED = 1.0;

    private final String name;
    private final ObjIntConsumer<String> staleEndpoints;
    private final double queueThreshold;
    private final double kvCacheThreshold;
    private final long stalenessNanos;
    private final boolean countDispatched;

    UtilizationDetector(String name, UtilizationConfig config, ObjIntConsumer<String> staleEndpoints) {
        this.name = name;
        this.staleEndpoints = staleEndpoints;
        this.queueThreshold = config.queueDepthThreshold();
        this.kvCacheThreshold = config.kvCacheUtilThreshold();
        this.stalenessNanos = config.metricsStalenessNanos();
        this.countDispatched = config.countDispatchedSinceScrape();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double saturation(List<EndpointView> endpoints, long nowNanos) {
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
            double sampled = score(sample, 0);
            double counted = dispatched == 0 ? sampled : score(sample, dispatched);
            if (counted >= SATURATED && sampled < SATURATED) {
                endpoint.requestSample();
            }
            sum += counted;
            sampledSum += sampled;
        }
        staleEndpoints.accept(name, stale);
        if (count == 0) {
            return SATURATED;
        }
        double saturation = sum / count;
        if (saturation >= SATURATED && sampledSum / count < SATURATED) {
            requestSamples(endpoints);
        }
        return saturation;
    }

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        int dispatched = dispatched(endpoint);
        EngineSample sample = endpoint.sample();
        return sample == null || isStale(sample, nowNanos) ? SATURATED : score(sample, dispatched);
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return true;
    }

    // Always read before the sample: when a new sample comes in between, its requests are counted twice for a moment instead of not at all.
    private int dispatched(EndpointView endpoint) {
        return countDispatched ? endpoint.dispatchedSinceSample() : 0;
    }

    // By difference, since a nanosecond clock may wrap; a sample that is newer than the reader's clock is fresh.
    private boolean isStale(EngineSample sample, long nowNanos) {
        return nowNanos - sample.atNanos() > stalenessNanos;
    }

    private double score(EngineSample sample, int dispatched) {
        double queue = ((double) sample.waiting() + dispatched) / queueThreshold;
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
