package io.penstock.bench.headroom;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Log-normal service times, the same ones for the same seed. One thread draws; any thread may change mean and pace. */
final class ServiceTimes {

    private final Random random;
    private final double sigma;
    private volatile double meanMillis;
    private volatile double pace = 1;
    private volatile long stepNanos;

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

    /** 0, or the beat at which answers leave, in milliseconds. */
    void step(int millis) {
        stepNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    double meanMillis() {
        return meanMillis;
    }

    /** Nanoseconds from {@code now}, a {@code System.nanoTime()}, until the next answer may leave. */
    long nextFrom(long now) {
        long step = stepNanos;
        long end = now + next();
        return step == 0 ? end - now : Math.floorDiv(end + step - 1, step) * step - now;
    }

    /** A service time in nanoseconds. */
    long next() {
        double mu = Math.log(meanMillis) - sigma * sigma / 2;
        return (long) (Math.exp(mu + sigma * random.nextGaussian()) * 1e6 / pace);
    }
}
