package io.penstock.flow.policy;

import io.penstock.flow.UsageLimitPolicy;

/**
 * Lets the lower bands through only now and then when saturation rises, the lowest first (spec/flow-control section 4.7). The highest band
 * is never held back below 1.0. A tick, once a call, says when the held ones are open: all of them at the same calls. Drainer only.
 */
final class SoftReflectiveCeilingPolicy implements UsageLimitPolicy {

    static final String TYPE = "soft-reflective-ceiling-policy";

    private static final double TICKS_FROM = 0.5;
    private static final double NO_DIVISION_BY_ZERO = 1e-9;

    private long tick;

    @Override
    public void ceilings(double saturation, int[] priorities, double[] ceilings) {
        int last = priorities.length - 1;
        ceilings[0] = 1.0;
        if (last == 0) {
            return;
        }
        double held = held(saturation);
        for (int i = 1; i <= last; i++) {
            boolean free = saturation < 1 - i * saturation / last;
            ceilings[i] = free ? 1.0 : held;
        }
    }

    /** The ceiling, at this call, of the bands that are held back. */
    private double held(double saturation) {
        if (saturation >= 1) {
            return 0;
        }
        if (saturation >= TICKS_FROM) {
            tick++;
        }
        long period = Math.max(1, Math.round(saturation / (1 - saturation + NO_DIVISION_BY_ZERO)));
        return tick % period == 0 ? 1.0 : 0.0;
    }
}
