package io.penstock.detect;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.Map;
import java.util.SortedSet;

/**
 * Parameters of {@code utilization-detector} (spec/flow-control section 5.1, contract section 2). Immutable.
 *
 * @param queueDepthThreshold requests waiting in an engine that count as saturated, 1 or more
 * @param kvCacheUtilThreshold fraction of the KV cache in use that counts as saturated, above 0 up to 1
 * @param metricsStalenessNanos age in nanoseconds beyond which a sample says nothing, 1 or more
 * @param headroom how far past the thresholds the detector lets an endpoint go when it acts as a scheduling filter, 0 or more; no part of
 *         the saturation
 * @param countDispatchedSinceScrape whether requests dispatched after a sample count as waiting until the next one
 */
record UtilizationConfig(long queueDepthThreshold, double kvCacheUtilThreshold, long metricsStalenessNanos, double headroom,
        boolean countDispatchedSinceScrape) {

    static final UtilizationConfig DEFAULTS = new UtilizationConfig(5, 0.8, 200_000_000L, 0.0, true);

    private static final String QUEUE = "queueDepthThreshold";
    private static final String KV_CACHE = "kvCacheUtilThreshold";
    private static final String STALENESS = "metricsStalenessThreshold";
    private static final String HEADROOM = "headroom";
    private static final String COUNT_DISPATCHED = "countDispatchedSinceScrape";

    static final SortedSet<String> PARAMETERS = Detectors.sorted(QUEUE, KV_CACHE, STALENESS, HEADROOM, COUNT_DISPATCHED);

    UtilizationConfig {
        Problems problems = new Problems();
        problems.positive(QUEUE, queueDepthThreshold);
        problems.fraction(KV_CACHE, kvCacheUtilThreshold);
        problems.positiveDuration(STALENESS, metricsStalenessNanos);
        problems.notNegative(HEADROOM, headroom);
        problems.throwIfAny();
    }

    static UtilizationConfig from(Map<String, ?> values) {
        Parameters in = new Parameters(values, PARAMETERS);
        long queue = in.integer(QUEUE, DEFAULTS.queueDepthThreshold);
        double kvCache = in.decimal(KV_CACHE, DEFAULTS.kvCacheUtilThreshold);
        long staleness = in.nanos(STALENESS, DEFAULTS.metricsStalenessNanos);
        double headroom = in.decimal(HEADROOM, DEFAULTS.headroom);
        boolean count = in.flag(COUNT_DISPATCHED, DEFAULTS.countDispatchedSinceScrape);
        return in.build(() -> new UtilizationConfig(queue, kvCache, staleness, headroom, count));
    }
}
