package io.penstock.bench.peers;

import java.time.Duration;

/**
 * How much time measuring may take. Immutable.
 *
 * @param warm least load on a JVM before anything counts
 * @param warmCap most, where it does not settle
 * @param cpuMillis of the target that one closed loop is to use: the kernel counts in ticks of 10 ms
 * @param wall most for one closed loop
 * @param timed one measurement at a fixed rate or of paced streams
 * @param requests of one latency measurement
 * @param events of each stream that goes flat out
 * @param bursts of streams that start together
 */
record Budget(Duration warm, Duration warmCap, long cpuMillis, Duration wall, Duration timed, int requests, int events, int bursts) {

    static final Budget FULL = new Budget(Duration.ofSeconds(20), Duration.ofSeconds(60), 1_600, Duration.ofSeconds(6),
            Duration.ofSeconds(4), 4_000, 1_000_000, 80);
    /** To see that everything runs; its figures mean nothing. */
    static final Budget BRIEF = new Budget(Duration.ofSeconds(2), Duration.ofSeconds(3), 200, Duration.ofSeconds(1),
            Duration.ofMillis(500), 300, 2_000, 5);
    static final Budget SMOKE = new Budget(Duration.ofMillis(100), Duration.ofMillis(200), 20, Duration.ofMillis(200),
            Duration.ofMillis(100), 50, 200, 2);
}
