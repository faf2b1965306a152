package io.penstock.bench.peers;

import java.util.Arrays;
import java.util.Locale;

/**
 * A median with its range, over rounds. Rounds without a value (NaN) do not count. Immutable.
 *
 * @param median the middle value, or the mean of the two middle ones; NaN without any
 * @param min lowest
 * @param max highest
 * @param count values
 */
record Spread(double median, double min, double max, int count) {

    static Spread of(double... values) {
        double[] sorted = Arrays.stream(values).filter(value -> !Double.isNaN(value)).sorted().toArray();
        int count = sorted.length;
        if (count == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN, 0);
        }
        double median = count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
        return new Spread(median, sorted[0], sorted[count - 1], count);
    }

    boolean known() {
        return count > 0;
    }

    /** Median and range with so many decimals; "-" without values. */
    String text(int decimals) {
        if (!known()) {
            return "-";
        }
        String number = "%,." + decimals + "f";
        if (count == 1) {
            return String.format(Locale.ROOT, number, median);
        }
        return String.format(Locale.ROOT, number + " (" + number + "-" + number + ")", median, min, max);
    }
}
