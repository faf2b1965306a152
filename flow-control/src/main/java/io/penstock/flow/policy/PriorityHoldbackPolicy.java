package io.penstock.flow.policy;

import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.policy.PriorityHoldbackConfig.Domain;

/**
 * Holds lower bands back earlier: ceilings fall in a straight line from the highest band to the lowest, whatever the saturation
 * (spec/flow-control section 4.7). Immutable, any thread.
 */
record PriorityHoldbackPolicy(PriorityHoldbackConfig config) implements UsageLimitPolicy {

    @Override
    public void ceilings(double saturation, int[] priorities, double[] ceilings) {
        int last = priorities.length - 1;
        double fall = config.maxCeiling() - config.minCeiling();
        for (int i = 0; i <= last; i++) {
            ceilings[i] = config.maxCeiling() - depth(i, priorities, last) * fall;
        }
    }

    /** Where a band is between the highest, 0, and the lowest, 1. */
    private double depth(int band, int[] priorities, int last) {
        if (last == 0) {
            return 0;
        }
        if (config.domain() == Domain.RANK) {
            return (double) band / last;
        }
        double range = (double) priorities[0] - priorities[last];
        return range == 0 ? 0 : ((double) priorities[0] - priorities[band]) / range;
    }
}
