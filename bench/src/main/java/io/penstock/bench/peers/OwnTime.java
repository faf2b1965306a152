package io.penstock.bench.peers;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Penstock's own account of the time from a request's last header to its dispatch, read from its metrics: counts up to each bucket's
 * bound. What lies between two pages is one measurement. Immutable.
 *
 * @param counts cumulative counts by upper bound in seconds, ascending
 */
record OwnTime(TreeMap<Double, Double> counts) {

    private static final Pattern BUCKET = Pattern.compile(
            "(?m)^penstock_dispatch_own_time_seconds_bucket\\{(?:[^}]*,)?le=\"([^\"]+)\"[^}]*}\\s+(\\S+)");

    static OwnTime parse(String page) {
        TreeMap<Double, Double> counts = new TreeMap<>();
        Matcher bucket = BUCKET.matcher(page);
        while (bucket.find()) {
            double bound = bucket.group(1).equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bucket.group(1));
            counts.merge(bound, Double.parseDouble(bucket.group(2)), Double::sum);
        }
        return new OwnTime(counts);
    }

    /** Microseconds at this fraction of the requests since an earlier page, within its bucket by proportion; NaN where there were none. */
    double microsSince(OwnTime earlier, double fraction) {
        if (counts.isEmpty()) {
            return Double.NaN;
        }
        double all = since(earlier, counts.lastKey());
        double wanted = all * fraction;
        double lower = 0;
        double below = 0;
        for (Map.Entry<Double, Double> bucket : counts.entrySet()) {
            double upTo = since(earlier, bucket.getKey());
            if (all > 0 && upTo >= wanted) {
                double width = bucket.getKey().isInfinite() ? 0 : bucket.getKey() - lower;
                return 1e6 * (lower + width * (wanted - below) / Math.max(1e-9, upTo - below));
            }
            lower = bucket.getKey();
            below = upTo;
        }
        return Double.NaN;
    }

    private double since(OwnTime earlier, double bound) {
        return counts.getOrDefault(bound, 0.0) - earlier.counts.getOrDefault(bound, 0.0);
    }
}
