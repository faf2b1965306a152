package io.penstock.bench.headroom;

/**
 * Holds the band's headroom at a set-point, the reserve. An answer without headroom is no signal: until the next one that has it,
 * {@link AimdLaw} decides, as it does for a dispatcher before a router that does not send the header.
 *
 * <p>Each answer replaces the window of the one before, so of all answers that are read together only the newest counts, and nothing is
 * granted twice. A request is sent while fewer than {@code window} are in flight; any fraction above a whole number is room for one more.
 */
abstract class SetPointLaw implements ControlLaw {

    private final double gain;
    private final double reserve;
    private final AimdLaw withoutHeader = new AimdLaw();
    private double window = 1;
    private boolean told;

    /**
     * One law.
     *
     * @param gain part of the free room that this dispatcher takes at one answer; 1/R or less for R dispatchers
     * @param reserve the headroom to leave, in requests
     */
    SetPointLaw(double gain, double reserve) {
        this.gain = gain;
        this.reserve = reserve;
    }

    /**
     * The next window.
     *
     * @param inFlight requests under way, the answered one included
     * @param share this dispatcher's part of what the headroom is off its set-point
     */
    abstract double next(int inFlight, double share);

    @Override
    public final double window() {
        return told ? window : withoutHeader.window();
    }

    @Override
    public final void answered(Answer answer, Flight flight) {
        withoutHeader.answered(answer, flight);
        if (answer.headroom() != Answer.NONE) {
            told = true;
            window = Math.max(1, next(flight.inFlight(), gain * (answer.headroom() - reserve)));
        } else if (answer.outcome() == Outcome.DONE) {
            told = false;
        } else if (answer.outcome() == Outcome.SATURATED) {
            window = Math.max(1, flight.inFlight() - 1.0);
        }
    }
}
