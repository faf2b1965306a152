package io.penstock.bench.headroom;

import java.util.Random;

/** Log-normal service times, the same ones for the same seed. One thread draws; any thread may change mean and pace. */
final class ServiceTimes {

    private final Random random;
    private final double sigma;
    private volatile double meanMillis;
    private volatile double pace = 1;

    /**
     * A distribution.
     *
     * @param meanMillis mean in milliseconds, above 0
     * @param variation standard deviation over mean, above 0
     */
    ServiceTimes(double meanMillis, double variation, long seed) {
        this.meanMillis = meanMillis;
        sigma = Math.sqrt(Math.log(1 + variation * variation));
        random = new Random(seed);
    }

    void mean(double millis) {
        meanMillis = millis;
    }

    /** 1 as drawn, 2 twice as fast, 0.5 half as fast; for what is drawn from now on. */
    void pace(double factor) {
        pace = factor;
    }

    double meanMillis() {
        return meanMillis;
    }

    /** In nanoseconds. */
    long next() {
        double mu = Math.log(meanMillis) - sigma * sigma / 2;
        return (long) (Math.exp(mu + sigma * random.nextGaussian()) * 1e6 / pace);
    }
}
