package io.penstock.bench.load;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a load of event streams has shown. Immutable once handed out.
 *
 * @param streams started
 * @param ended with status 200 and their last byte
 * @param failed reasons with their counts; a stream without an end when the limit was over is "unanswered", one that ended with fewer
 *     or more
 *     bytes than its events have "incomplete"
 * @param events that arrived, counted by their bytes
 * @param firstEvent nanoseconds from a stream's start to the first byte of its first event
 * @param nanos from the first start to the last end
 */
public record StreamReport(long streams, long ended, Map<String, Long> failed, long events, Histogram firstEvent, long nanos) {

    /** Microseconds to the first event at this percentile, 0 to 100; NaN where none came. */
    public double firstEventMicros(double percentile) {
        return firstEvent.getTotalCount() == 0 ? Double.NaN : firstEvent.getValueAtPercentile(percentile) / 1e3;
    }

    /** Events that arrived, a second. */
    public double eventsPerSecond() {
        return events * 1e9 / nanos;
    }
}
