package io.penstock.proxy.demo;

/**
 * When the demo's requests arrive. A tide goes beyond what the servers can take for ten seconds, so that bands fill, and stays far below
 * for seven, so that they empty; premium requests come in bursts on top of it. Pure arithmetic over the time since the start: any thread.
 *
 * @param capacity requests a second that the servers finish
 */
record DemoWave(double capacity) {

    private static final double FLOOD_SECONDS = 10;
    private static final double EBB_SECONDS = 7;
    private static final double PERIOD = FLOOD_SECONDS + EBB_SECONDS;
    private static final double BURST_EVERY = 3;
    private static final double BURST_FROM = 0.5;
    private static final int BURSTS = 4;
    /** All in units of the capacity: the size of a burst in seconds of it, and rates at flood and ebb. */
    private static final double BURST = 0.6;
    private static final double STANDARD_FLOOD = 0.95;
    private static final double BATCH_FLOOD = 0.4;
    private static final double STANDARD_EBB = 0.2;
    private static final double BATCH_EBB = 0.1;
    private static final double MEAN = (BURSTS * BURST + (STANDARD_FLOOD + BATCH_FLOOD) * FLOOD_SECONDS
            + (STANDARD_EBB + BATCH_EBB) * EBB_SECONDS) / PERIOD;

    /** The wave whose mean is that many requests a second. */
    static DemoWave withMean(double rate) {
        return new DemoWave(rate / MEAN);
    }

    /** Requests of a band that arrive after the first moment and not after the second, in seconds since the start. */
    int arrivals(DemoBand band, double after, double until) {
        return (int) (Math.floor(total(band, until)) - Math.floor(total(band, after)));
    }

    private double total(DemoBand band, double seconds) {
        if (seconds <= 0) {
            return 0;
        }
        double cycles = Math.floor(seconds / PERIOD);
        double within = seconds - cycles * PERIOD;
        return capacity * switch (band) {
            case PREMIUM -> BURST * (cycles * BURSTS + bursts(within));
            case STANDARD -> tide(cycles, within, STANDARD_FLOOD, STANDARD_EBB);
            case BATCH -> tide(cycles, within, BATCH_FLOOD, BATCH_EBB);
        };
    }

    private static double tide(double cycles, double within, double flood, double ebb) {
        double full = flood * FLOOD_SECONDS + ebb * EBB_SECONDS;
        return cycles * full + flood * Math.min(within, FLOOD_SECONDS) + ebb * Math.max(0, within - FLOOD_SECONDS);
    }

    private static double bursts(double within) {
        return within < BURST_FROM ? 0 : Math.min(BURSTS, 1 + Math.floor((within - BURST_FROM) / BURST_EVERY));
    }
}
