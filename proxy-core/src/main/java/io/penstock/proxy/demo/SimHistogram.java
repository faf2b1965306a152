package io.penstock.proxy.demo;

import java.util.Arrays;

/** One histogram of a simulated server's metrics page. Only the server's event loop uses it. */
final class SimHistogram {

    /** Bounds in seconds of whole requests and their phases. */
    static final double[] REQUEST_SECONDS = {0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
    /** Bounds in seconds between tokens. */
    static final double[] TOKEN_SECONDS = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80};
    /** Bounds in seconds until the first token. */
    static final double[] FIRST_TOKEN_SECONDS = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20,
        40, 80, 160, 640, 2560};

    private final String name;
    private final String help;
    private final double[] bounds;
    private final long[] counts;
    private double sum;
    private long count;

    SimHistogram(String name, String help, double[] bounds) {
        this.name = name;
        this.help = help;
        this.bounds = bounds;
        this.counts = new long[bounds.length];
    }

    /** Bounds of token counts: 1, 2 and 5 times each power of ten up to the model's length. */
    static double[] tokenBounds(int maxModelLen) {
        double[] all = new double[40];
        int size = 0;
        for (long power = 1; power <= maxModelLen; power *= 10) {
            for (int step : new int[] {1, 2, 5}) {
                if (power * step <= maxModelLen) {
                    all[size++] = power * step;
                }
            }
        }
        return Arrays.copyOf(all, size);
    }

    void record(double value) {
        for (int i = 0; i < bounds.length; i++) {
            if (value <= bounds[i]) {
                counts[i]++;
                break;
            }
        }
        sum += value;
        count++;
    }

    void recordNanos(long nanos) {
        record(nanos / 1e9);
    }

    void writeTo(StringBuilder out, String labels) {
        out.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(" histogram\n");
        long below = 0;
        for (int i = 0; i < bounds.length; i++) {
            below += counts[i];
            out.append(name).append("_bucket{").append(labels).append(",le=\"").append(number(bounds[i])).append("\"} ").append(below)
                    .append('\n');
        }
        out.append(name).append("_bucket{").append(labels).append(",le=\"+Inf\"} ").append(count).append('\n');
        out.append(name).append("_sum{").append(labels).append("} ").append(number(sum)).append('\n');
        out.append(name).append("_count{").append(labels).append("} ").append(count).append('\n');
    }

    /** A number as Prometheus clients write it: no fraction where there is none. */
    static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? Long.toString((long) value) : Double.toString(value);
    }
}
