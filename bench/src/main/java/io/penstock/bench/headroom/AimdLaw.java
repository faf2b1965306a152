package io.penstock.bench.headroom;

/**
 * Finds the limit by being refused: one more request each flight, half after a refusal, once a flight; 0.9 after an expired wait; evictions
 * and errors say nothing about the band. It starts with a doubling each flight until the first refusal, as TCP does, so that a short run
 * shows its steady state.
 */
final class AimdLaw implements ControlLaw {

    private static final double ON_REFUSAL = 0.5;
    private static final double ON_EXPIRY = 0.9;

    private double window = 1;
    private boolean searching = true;
    /** Requests below this number were sent before the last cut, so their refusals are the same news. */
    private long cutAt;

    @Override
    public double window() {
        return Math.floor(window);
    }

    @Override
    public void answered(Answer answer, Flight flight) {
        switch (answer.outcome()) {
            case DONE -> grow(flight);
            case SATURATED -> refused(flight);
            case TTL_EXPIRED -> cut(ON_EXPIRY);
            default -> {
                // Nothing that the window could change.
            }
        }
    }

    /** A window that is not used up has not been tried, so its requests' success is no reason for a larger one. */
    private void grow(Flight flight) {
        if (flight.inFlight() >= window()) {
            window += searching ? 1 : 1 / window;
        }
    }

    private void refused(Flight flight) {
        searching = false;
        if (flight.number() >= cutAt) {
            cut(ON_REFUSAL);
            cutAt = flight.next();
        }
    }

    private void cut(double factor) {
        window = Math.max(1, window * factor);
    }
}
