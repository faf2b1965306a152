package io.penstock.bench.headroom;

/**
 * {@link CreditLaw} without its droop: the answered request is replaced, and a part of what the headroom is off its set-point comes on top:
 * {@code window = in-flight + gain x (headroom - reserve)}. What is less than a whole request is kept for the next answer. So the headroom
 * settles at the reserve for any number of dispatchers, where the other law needs {@code 1/gain} above it to stand still.
 */
final class LevelLaw extends SetPointLaw {

    private double kept;

    /** As {@link SetPointLaw#SetPointLaw}. */
    LevelLaw(double gain, double reserve) {
        super(gain, reserve);
    }

    @Override
    double next(int inFlight, double share) {
        double wanted = inFlight + kept + share;
        double whole = Math.floor(wanted);
        kept = wanted - whole;
        return whole;
    }
}
