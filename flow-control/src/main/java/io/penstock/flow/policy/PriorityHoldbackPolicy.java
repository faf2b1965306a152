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
        double range = (double) priorities[0] - priorities[last];
        for (int i = 0; i <= last; i++) {
            if (range == 0) {
                ceilings[i] = config.maxCeiling();
            } else if (config.domain() == Domain.RANK) {
                ceilings[i] = config.maxCeiling() - i * fall / last;
            } else {
                // From below, as the formula has it: rounded the other way, a saturation on the ceiling would pass.
                ceilings[i] = config.minCeiling() + ((double) priorities[i] - priorities[last]) / range * fall;
            }
        }
    }
}
