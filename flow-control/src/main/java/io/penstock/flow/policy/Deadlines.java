package io.penstock.flow.policy;

/** Distances of deadlines from now, such that ranks made of them can be compared by difference. Pure functions. */
final class Deadlines {

    /** Of a request without a deadline, about 73 years: behind every deadline, and among its like by age. */
    static final long NEVER = 1L << 61;
    private static final long FARTHEST = 1L << 60;

    private Deadlines() {
    }

    static long within(long nanos) {
        return Math.min(nanos, FARTHEST);
    }
}
