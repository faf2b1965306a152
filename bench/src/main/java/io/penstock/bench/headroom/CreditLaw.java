package io.penstock.bench.headroom;

/** {@code window = in-flight - 1 + gain x (headroom - reserve)}, where in-flight includes the answered request. */
final class CreditLaw extends SetPointLaw {

    /** As {@link SetPointLaw#SetPointLaw}. */
    CreditLaw(double gain, double reserve) {
        super(gain, reserve);
    }

    @Override
    double next(int inFlight, double share) {
        return inFlight - 1 + share;
    }
}
