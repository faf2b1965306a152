package io.penstock.bench.headroom;

/** {@link AimdLaw} that never sends more at once than the last answer had headroom for: what is still in flight plus that headroom. */
final class CappedLaw implements ControlLaw {

    private final AimdLaw aimd = new AimdLaw();
    private double cap = Double.MAX_VALUE;

    @Override
    public double window() {
        return Math.max(1, Math.min(aimd.window(), cap));
    }

    @Override
    public void answered(Answer answer, Flight flight) {
        aimd.answered(answer, flight);
        if (answer.headroom() != Answer.NONE) {
            cap = flight.inFlight() - 1.0 + answer.headroom();
        } else if (answer.outcome() == Outcome.DONE) {
            cap = Double.MAX_VALUE;
        }
    }
}
