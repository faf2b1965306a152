package io.penstock.flow.config;

import io.penstock.flow.CapacitySnapshot;
import java.util.Objects;

/**
 * One priority band, or a template for bands made at run time (spec/flow-control section 1.4, 14).
 *
 * @param priority the band; ignored in a template
 * @param maxRequests limit of waiting requests, 1..{@value #MAX_REQUESTS}, or {@link CapacitySnapshot#UNBOUNDED}
 * @param maxBytes limit of waiting bytes, 1..{@value #MAX_BYTES}, or {@link CapacitySnapshot#UNBOUNDED}
 * @param requestTtlNanos queue-wait budget while the pool has endpoints; 0 means no limit, {@link #INHERIT} the global value
 * @param fairnessPolicyRef plugin name
 * @param orderingPolicyRef plugin name
 */
public record BandConfig(int priority, long maxRequests, long maxBytes, long requestTtlNanos, String fairnessPolicyRef,
        String orderingPolicyRef) {

    /** The largest number of requests that a band can count. */
    public static final long MAX_REQUESTS = (1L << 23) - 1;
    /** The largest number of bytes that a band can count. */
    public static final long MAX_BYTES = (1L << 40) - 1;
    /** llm-d's default for an absent or zero {@code maxRequests}. */
    public static final long DEFAULT_MAX_REQUESTS = 5000;
    /** llm-d's default for an absent or zero {@code maxBytes}. */
    public static final long DEFAULT_MAX_BYTES = 1_000_000_000;
    /** The band has no budget of its own. */
    public static final long INHERIT = -1;
    /** The default fairness policy. */
    public static final String GLOBAL_STRICT = "global-strict-fairness-policy";
    /** The default ordering policy. */
    public static final String FCFS = "fcfs-ordering-policy";

    public BandConfig {
        Limits.check("maxRequests", maxRequests, MAX_REQUESTS);
        Limits.check("maxBytes", maxBytes, MAX_BYTES);
        if (requestTtlNanos < INHERIT) {
            throw new IllegalArgumentException("defaultRequestTTL: " + requestTtlNanos + "ns (expected: 0s or more)");
        }
        Objects.requireNonNull(fairnessPolicyRef, "fairnessPolicyRef");
        Objects.requireNonNull(orderingPolicyRef, "orderingPolicyRef");
    }

    /** A band with llm-d's system defaults. */
    public static BandConfig defaults(int priority) {
        return new BandConfig(priority, DEFAULT_MAX_REQUESTS, DEFAULT_MAX_BYTES, INHERIT, GLOBAL_STRICT, FCFS);
    }

    /** This template, made a band. */
    public BandConfig withPriority(int other) {
        return new BandConfig(other, maxRequests, maxBytes, requestTtlNanos, fairnessPolicyRef, orderingPolicyRef);
    }
}
