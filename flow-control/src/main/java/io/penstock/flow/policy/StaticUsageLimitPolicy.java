package io.penstock.flow.policy;

import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedSet;

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

    static final SortedSet<String> PARAMETERS = Policies.sorted("threshold");

    public StaticUsageLimitPolicy {
        if (!(threshold >= 0) || Double.isInfinite(threshold)) {
            throw new IllegalArgumentException("threshold: " + threshold + " (expected: a finite number, 0 or more)");
        }
    }

    /** As configured: a threshold that stops everything for good is refused. */
    static StaticUsageLimitPolicy from(Map<String, ?> values) {
        Parameters parameters = new Parameters(values, PARAMETERS);
        double threshold = parameters.decimal("threshold", DEFAULT_THRESHOLD);
        return parameters.build(() -> configured(threshold));
    }

    private static StaticUsageLimitPolicy configured(double threshold) {
        Problems problems = new Problems();
        if (!(threshold > 0 && threshold < Double.POSITIVE_INFINITY)) {
            problems.add("threshold", threshold, "a number above 0, at most 1");
        }
        problems.throwIfAny();
        return new StaticUsageLimitPolicy(threshold);
    }

    @Override
    public void ceilings(double saturation, int[] priorities, double[] ceilings) {
        Arrays.fill(ceilings, threshold);
    }
}
