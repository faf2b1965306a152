package io.penstock.bench.headroom;

import java.util.Arrays;

/**
 * What a few rounds have in common, and how far they lie apart. Immutable.
 *
 * @param least the smallest
 * @param median the one in the middle
 * @param most the largest
 */
record Spread(double least, double median, double most) {

    /** Of one value or more. */
    static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("values: none (expected: one or more)");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted[0], median, sorted[sorted.length - 1]);
    }
}
