package io.penstock.detect;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.Map;
import java.util.SortedSet;

/**
 * Parameters of {@code concurrency-detector} (spec/flow-control section 5.2). Immutable.
 *
 * @param mode what counts
 * @param maxConcurrency requests an endpoint may have in flight, 1 or more; checked in every mode
 * @param maxTokenConcurrency tokens an endpoint may have in flight, 1 or more; checked in every mode
 * @param headroom how far past the limits the detector lets an endpoint go when it acts as a scheduling filter, 0 or more; no part of
 *         the saturation
 * @param inFlightLoadProducerName which llm-d producer counts; kept for compatibility: the proxy has one exact count
 */
record ConcurrencyConfig(ConcurrencyMode mode, long maxConcurrency, long maxTokenConcurrency, double headroom,
        String inFlightLoadProducerName) {

    static final ConcurrencyConfig DEFAULTS = new ConcurrencyConfig(ConcurrencyMode.REQUESTS, 100, 1_000_000, 0.0, "");

    private static final String MODE = "concurrencyMode";
    private static final String REQUESTS = "maxConcurrency";
    private static final String TOKENS = "maxTokenConcurrency";
    private static final String HEADROOM = "headroom";
    private static final String PRODUCER = "inFlightLoadProducerName";

    static final SortedSet<String> PARAMETERS = Detectors.sorted(MODE, REQUESTS, TOKENS, HEADROOM, PRODUCER);

    ConcurrencyConfig {
        Problems problems = new Problems();
        problems.positive(REQUESTS, maxConcurrency);
        problems.positive(TOKENS, maxTokenConcurrency);
        problems.notNegative(HEADROOM, headroom);
        problems.throwIfAny();
    }

    static ConcurrencyConfig from(Map<String, ?> values) {
        Parameters in = new Parameters(values, PARAMETERS);
        ConcurrencyMode mode = in.choice(MODE, ConcurrencyMode.class, DEFAULTS.mode);
        long requests = in.integer(REQUESTS, DEFAULTS.maxConcurrency);
        long tokens = in.integer(TOKENS, DEFAULTS.maxTokenConcurrency);
        double headroom = in.decimal(HEADROOM, DEFAULTS.headroom);
        String producer = in.text(PRODUCER, DEFAULTS.inFlightLoadProducerName);
        return in.build(() -> new ConcurrencyConfig(mode, requests, tokens, headroom, producer));
    }
}
