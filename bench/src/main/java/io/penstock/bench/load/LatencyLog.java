package io.penstock.bench.load;

import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Collects the ends of requests against their intended starts. One thread.
 *
 * <p>With intended starts nothing has to be corrected afterwards: while the proxy stalls the schedule goes on, and every request that was
 * due meanwhile is recorded with all of its wait. {@link Histogram#recordValueWithExpectedInterval} is for closed loops, which do not
 * send while they wait; used here it would count each stall twice.
 */
final class LatencyLog {

    /** Longest value kept exactly; longer ones are kept as this. One minute, in nanoseconds. */
    static final long LONGEST = 60_000_000_000L;
    private static final int DIGITS = 3;

    private final Histogram latencies = new Histogram(LONGEST, DIGITS);
    private final Histogram lateness = new Histogram(LONGEST, DIGITS);
    private final Map<String, Long> failed = new TreeMap<>();
    private long sent;
    private long answered;
    private long failures;
    private long lastEnd;

    /** A request that was due at {@code intended} starts at {@code now}. */
    void sent(long intended, long now) {
        sent++;
        lateness.recordValue(clamp(now - intended));
    }

    void ended(long intended, long now, int status) {
        if (status / 100 != 2) {
            failed("status " + status, now);
            return;
        }
        answered++;
        lastEnd = now;
        latencies.recordValue(clamp(now - intended));
    }

    void failed(String why, long now) {
        failures++;
        lastEnd = now;
        failed.merge(why, 1L, Long::sum);
    }

    /** A request that has waited since {@code intended} and has no end by {@code now}. */
    void unanswered(long intended, long now) {
        latencies.recordValue(clamp(now - intended));
        lastEnd = now;
    }

    long open() {
        return sent - answered - failures;
    }

    LatencyReport report(long begun) {
        return new LatencyReport(sent, answered, Map.copyOf(failed), open(), latencies.copy(), lateness.copy(), lastEnd - begun);
    }

    private static long clamp(long nanos) {
        return Math.max(0, Math.min(LONGEST, nanos));
    }
}
