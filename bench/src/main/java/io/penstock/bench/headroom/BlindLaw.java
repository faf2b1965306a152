package io.penstock.bench.headroom;

/** A fixed number of workers, each with one request at a time, whatever the answers say. */
final class BlindLaw implements ControlLaw {

    private final int workers;

    BlindLaw(int workers) {
        this.workers = Math.max(1, workers);
    }

    @Override
    public double window() {
        return workers;
    }

    @Override
    public void answered(Answer answer, Flight flight) {
    }
}
