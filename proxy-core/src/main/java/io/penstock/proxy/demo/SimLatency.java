package io.penstock.proxy.demo;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a simulated server takes (spec/routing section 8.4). Samples are normal around the mean and never further from it than 70 %.
 * Immutable.
 *
 * @param timeToFirstToken mean of the prefill; not used when {@code prefillPerToken} is above zero
 * @param timeToFirstTokenStdDev at most 30 % of the mean
 * @param interTokenLatency mean between two tokens
 * @param interTokenLatencyStdDev at most 30 % of the mean
 * @param prefillOverhead fixed part of a prefill whose time grows with the prompt
 * @param prefillPerToken part of it per prompt token; zero for a prefill that takes the same time for every prompt
 * @param kvTransfer instead of the prefill, for a request whose prefill another server did
 * @param factorUnderLoad what every latency but the transfer is multiplied by when all slots are taken, 1 or more; linear from 1
 */
public record SimLatency(Duration timeToFirstToken, Duration timeToFirstTokenStdDev, Duration interTokenLatency,
        Duration interTokenLatencyStdDev, Duration prefillOverhead, Duration prefillPerToken, Duration kvTransfer,
        double factorUnderLoad) {

    /** No waiting at all. */
    public static final SimLatency NONE = of(Duration.ZERO, Duration.ZERO);

    private static final double CLAMP = 0.7;
    private static final double MAX_STD_DEV = 0.3;

    public SimLatency {
        notNegative("time-to-first-token", timeToFirstToken);
        notNegative("inter-token-latency", interTokenLatency);
        notNegative("prefill-overhead", prefillOverhead);
        notNegative("prefill-time-per-token", prefillPerToken);
        notNegative("kv-cache-transfer-latency", kvTransfer);
        stdDev("time-to-first-token-std-dev", timeToFirstTokenStdDev, timeToFirstToken);
        stdDev("inter-token-latency-std-dev", interTokenLatencyStdDev, interTokenLatency);
        if (!(factorUnderLoad >= 1)) {
            throw new IllegalArgumentException("time-factor-under-load: " + factorUnderLoad + " (expected: 1.0 or more)");
        }
    }

    /** The same time for each first token and each later one. */
    public static SimLatency of(Duration timeToFirstToken, Duration interTokenLatency) {
        return new SimLatency(timeToFirstToken, Duration.ZERO, interTokenLatency, Duration.ZERO, Duration.ZERO, Duration.ZERO,
                Duration.ZERO, 1.0);
    }

    /** Nanoseconds until the first token. */
    long firstToken(RandomGenerator random, int promptTokens, boolean transferred, double load) {
        if (transferred) {
            return kvTransfer.toNanos();
        }
        if (!prefillPerToken.isZero()) {
            return Math.round((prefillOverhead.toNanos() + (double) promptTokens * prefillPerToken.toNanos()) * factor(load));
        }
        return Math.round(sample(random, timeToFirstToken.toNanos(), timeToFirstTokenStdDev.toNanos()) * factor(load));
    }

    /** Nanoseconds until the next token. */
    long nextToken(RandomGenerator random, double load) {
        return Math.round(sample(random, interTokenLatency.toNanos(), interTokenLatencyStdDev.toNanos()) * factor(load));
    }

    private double factor(double load) {
        return 1 + (factorUnderLoad - 1) * load;
    }

    private static double sample(RandomGenerator random, long mean, long stdDev) {
        if (stdDev == 0) {
            return mean;
        }
        double value = random.nextGaussian(mean, stdDev);
        return Math.max(mean * (1 - CLAMP), Math.min(mean * (1 + CLAMP), value));
    }

    private static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 or more)");
        }
    }

    private static void stdDev(String name, Duration value, Duration mean) {
        notNegative(name, value);
        if (value.toNanos() > mean.toNanos() * MAX_STD_DEV) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at most 30 % of " + mean + ')');
        }
    }
}
