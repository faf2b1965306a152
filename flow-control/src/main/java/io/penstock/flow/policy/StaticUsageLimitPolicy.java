package io.penstock.flow.policy;

import io.penstock.flow.UsageLimitPolicy;
import java.util.Arrays;

/**
 * The same ceiling for every band (spec/flow-control section 4.7). Immutable, any thread.
 *
 * @param threshold dispatch goes on while saturation is below it; 0 stops everything, above 1 lets the pool be loaded past its set point
 */
public record StaticUsageLimitPolicy(double threshold) implements UsageLimitPolicy {

    /** The plugin type. */
    public static final String TYPE = "static-usage-limit-policy";
    /** The ceiling of a policy without parameters. */
    public static final double DEFAULT_THRESHOLD = 1.0;

    public StaticUsageLimitPolicy {
        if (!(threshold >= 0) || Double.isInfinite(threshold)) {
            throw new IllegalArgumentException("threshold: " + threshold + " (expected: a finite number, 0 or more)");
        }
    }

    @Override
    public void ceilings(double saturation, int[] priorities, double[] ceilings) {
        Arrays.fill(ceilings, threshold);
    }
}
