package io.penstock.flow.policy;

/**
 * Virtual time, in which what is served costs its size divided by its owner's weight: the debts of deficit round robin without its rounds,
 * so that a huge request means no longer loop than a small one. A fixed-point {@code long}, compared by difference. Pure functions.
 */
final class FairShare {

    static final double LEAST_WEIGHT = 0.001;
    static final double MOST_WEIGHT = 1000;

    private static final double UNIT = 1L << 20;
    /** One charge is at most this, so that what is owed stays far below half the range of a long. */
    private static final double MOST = 1L << 60;

    private FairShare() {
    }

    /**
     * The charge for something served, at least 1.
     *
     * @param size requests, bytes or tokens; less than 1 counts as 1
     * @param weight {@value #LEAST_WEIGHT} to {@value #MOST_WEIGHT}
     */
    static long charge(long size, double weight) {
        return (long) Math.min(MOST, Math.max(1, size) * UNIT / weight);
    }

    static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
