package io.penstock.flow.config;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code flowControl} (spec/flow-control section 1.4).
 *
 * @param maxRequests waiting requests over all bands, or {@link CapacitySnapshot#UNBOUNDED}
 * @param maxBytes waiting bytes over all bands, or {@link CapacitySnapshot#UNBOUNDED}
 * @param requestTtlNanos queue-wait budget while the pool has endpoints; 0 means no limit
 * @param noEndpointTtlNanos queue-wait budget while the pool is empty; 0 means no limit
 * @param defaultBand template of bands made at run time, and of band 0 where no static band has that priority
 * @param defaultNegativeBand template of bands below 0, or null for {@code defaultBand}
 * @param bands static bands, no priority twice
 * @param gateOn which stage's saturation gates dispatch
 * @param evictionGraceNanos how long the detectors need to see that a running request has ended (spec/flow-control section 9), or
 *         {@link #NO_EVICTION}
 */
public record FlowControlConfig(long maxRequests, long maxBytes, long requestTtlNanos, long noEndpointTtlNanos, BandConfig defaultBand,
        @Nullable BandConfig defaultNegativeBand, List<BandConfig> bands, GateOn gateOn, long evictionGraceNanos) {

    /** llm-d's default queue-wait budget, 60 s. */
    public static final long DEFAULT_TTL_NANOS = 60_000_000_000L;
    /** Running requests are never told to stop. */
    public static final long NO_EVICTION = -1;

    public FlowControlConfig {
        Limits.check("maxRequests", maxRequests, BandConfig.MAX_REQUESTS);
        Limits.check("maxBytes", maxBytes, BandConfig.MAX_BYTES);
        if (requestTtlNanos < 0 || noEndpointTtlNanos < 0) {
            throw new IllegalArgumentException("defaultRequestTTL: negative (expected: 0s or more)");
        }
        if (evictionGraceNanos < NO_EVICTION) {
            throw new IllegalArgumentException("evictionGrace: " + evictionGraceNanos + "ns (expected: 0s or more)");
        }
        bands = List.copyOf(bands);
        Set<Integer> seen = new HashSet<>();
        for (BandConfig band : bands) {
            if (!seen.add(band.priority())) {
                throw new IllegalArgumentException("priorityBands: priority " + band.priority() + " twice (expected: one band a priority)");
            }
        }
    }

    /** Without eviction. */
    public FlowControlConfig(long maxRequests, long maxBytes, long requestTtlNanos, long noEndpointTtlNanos, BandConfig defaultBand,
            @Nullable BandConfig defaultNegativeBand, List<BandConfig> bands, GateOn gateOn) {
        this(maxRequests, maxBytes, requestTtlNanos, noEndpointTtlNanos, defaultBand, defaultNegativeBand, bands, gateOn, NO_EVICTION);
    }

    /** llm-d's defaults: no global limit, 60 s, only band 0. */
    public static FlowControlConfig defaults() {
        return new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, DEFAULT_TTL_NANOS, DEFAULT_TTL_NANOS,
                BandConfig.defaults(0), null, List.of(), GateOn.MAX);
    }

    /** The same with {@code enableEviction}; the grace as at {@link #evictionGraceNanos()}. */
    public FlowControlConfig withEviction(long graceNanos) {
        return new FlowControlConfig(maxRequests, maxBytes, requestTtlNanos, noEndpointTtlNanos, defaultBand, defaultNegativeBand, bands,
                gateOn, graceNanos);
    }

    /** Whether running requests below priority 0 may be told to stop for a blocked band. */
    public boolean evicts() {
        return evictionGraceNanos != NO_EVICTION;
    }

    /** The template for a band made at run time. */
    public BandConfig template(int priority) {
        BandConfig base = priority < 0 && defaultNegativeBand != null ? defaultNegativeBand : defaultBand;
        return base.withPriority(priority);
    }
}
