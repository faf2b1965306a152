package io.penstock.bench.load;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a load of requests has shown. Immutable once handed out.
 *
 * @param sent requests that were due, whether or not a connection had room for them
 * @param answered those with a 2xx status and a whole answer
 * @param failed reasons (a status, a reset, a lost connection) with their counts
 * @param unanswered those without an end when the grace period was over
 * @param latencies nanoseconds of the answered, and how long the unanswered had waited by then, which is less than the truth
 * @param lateness nanoseconds between a request's intended and its true start: how far the client itself was behind
 * @param nanos from the first intended start to the last end
 */
public record LatencyReport(long sent, long answered, Map<String, Long> failed, long unanswered, Histogram latencies, Histogram lateness,
        long nanos) {

    /** Microseconds at this percentile, 0 to 100; NaN where nothing was measured. */
    public double micros(double percentile) {
        return latencies.getTotalCount() == 0 ? Double.NaN : latencies.getValueAtPercentile(percentile) / 1e3;
    }

    /** Microseconds on average; NaN where nothing was measured. */
    public double meanMicros() {
        return latencies.getTotalCount() == 0 ? Double.NaN : latencies.getMean() / 1e3;
    }

    /** Whether every request was answered with 2xx. */
    public boolean clean() {
        return failed.isEmpty() && unanswered == 0;
    }

    /** Everything that was not a 2xx answer, for a message; empty where there is nothing. */
    public String faults() {
        return clean() ? "" : "failed " + failed + ", unanswered " + unanswered + " of " + sent;
    }
}
