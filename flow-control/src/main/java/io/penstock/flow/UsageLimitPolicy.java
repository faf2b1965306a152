package io.penstock.flow;

/** Sets how much saturation each band may see before its dispatch stops (spec/flow-control section 4.7). Called once per decision. */
@FunctionalInterface
public interface UsageLimitPolicy {

    /**
     * @param saturation the effective saturation
     * @param priorities all bands, highest first
     * @param ceilings in: 1.0 each; out: the band may dispatch while saturation is below its value; must not increase going down
     */
    void ceilings(double saturation, int[] priorities, double[] ceilings);
}
