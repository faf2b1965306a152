package io.penstock.bench.peers;

import java.time.Duration;

/**
 * How much time measuring may take. Immutable.
 *
 * @param warm least load on a JVM before anything counts
 * @param warmCap most, where it does not settle
 * @param cpuMillis of the target that one closed loop is to use, and its time where there is no target: the kernel counts in ticks of 10 ms
 * @param wall most for one closed loop
 * @param timed one measurement at a fixed rate or of paced streams
 * @param requests of one latency measurement
 * @param events of each stream that goes flat out
 * @param bursts of streams that start together
 */
record Budget(Duration warm, Duration warmCap, long cpuMillis, Duration wall, Duration timed, int requests, int events, int bursts) {

    private static final Duration SLICE = Duration.ofSeconds(1);
    static final Budget FULL = new Budget(Duration.ofSeconds(20), Duration.ofSeconds(30), 1_500, Duration.ofSeconds(4),
            Duration.ofMillis(3_500), 4_000, 1_000_000, 80);
    /** To see that everything runs; its figures mean nothing. */
    static final Budget BRIEF = new Budget(Duration.ofSeconds(2), Duration.ofSeconds(3), 200, Duration.ofSeconds(1),
            Duration.ofMillis(500), 300, 2_000, 5);
    static final Budget SMOKE = new Budget(Duration.ofMillis(100), Duration.ofMillis(200), 20, Duration.ofMillis(200),
            Duration.ofMillis(100), 50, 200, 2);

    /** For each kind of load in a pass of warming: a moment of it, so that it comes three or four times. */
    Budget slice() {
        return new Budget(warm, warmCap, Math.min(900, cpuMillis), min(wall, SLICE), min(timed, SLICE), Math.min(2_000, requests),
                Math.min(400_000, events), Math.min(50, bursts));
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
