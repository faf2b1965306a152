package io.penstock.bench.headroom;

/**
 * {@link CreditLaw} without its droop: the answered request is replaced, and a part of what the headroom is off its set-point comes on top:
 * {@code window = in-flight + gain x (headroom - reserve)}. What is less than a whole request is kept for the next answer. So the headroom
 * settles at the reserve for any number of dispatchers, where the other law needs {@code 1/gain} above it to stand still.
 */
final class LevelLaw implements ControlLaw {

    private final double gain;
    private final double reserve;
    private final AimdLaw withoutHeader = new AimdLaw();
    private double window = 1;
    private double kept;
    private boolean told;

    /** As {@link CreditLaw#CreditLaw}. */
    LevelLaw(double gain, double reserve) {
        this.gain = gain;
        this.reserve = reserve;
    }

    @Override
    public double window() {
        return told ? window : withoutHeader.window();
    }

    @Override
    public void answered(Answer answer, Flight flight) {
        withoutHeader.answered(answer, flight);
        if (answer.headroom() != Answer.NONE) {
            told = true;
            double wanted = flight.inFlight() + kept + gain * (answer.headroom() - reserve);
            window = Math.max(1, Math.floor(wanted));
            kept = wanted - Math.floor(wanted);
        } else if (answer.outcome() == Outcome.DONE) {
            told = false;
        } else if (answer.outcome() == Outcome.SATURATED) {
            window = Math.max(1, flight.inFlight() - 1.0);
        }
    }
}
