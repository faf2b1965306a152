package io.penstock.bench.peers;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is measured. Immutable. */
enum Metric {
    PER_SECOND("perSecond", true),
    /** CPU microseconds of the target's processes, a request or an event. */
    CPU("cpu", false),
    /** Latencies, in microseconds. */
    MEAN("mean", false), P50("p50", false), P99("p99", false), P999("p999", false),
    /** MiB resident after the load, and the highest so far. */
    RSS("rss", false), PEAK("peak", false),
    /** Context switches a request. */
    SWITCHES("switches", false),
    /** Microseconds by which our own client was behind its schedule, p99. */
    LATE("late", false),
    UNANSWERED("unanswered", false),
    /** Penstock's own time to dispatch, p50, in microseconds, by its own metrics. */
    OWN("own", false),
    /** Milliseconds from start to ready. */
    START("start", false);

    private final String key;
    private final boolean moreIsBetter;

    Metric(String key, boolean moreIsBetter) {
        this.key = key;
        this.moreIsBetter = moreIsBetter;
    }

    /** Its name in JSON. */
    String key() {
        return key;
    }

    boolean moreIsBetter() {
        return moreIsBetter;
    }

    /** The mean of each metric over several measurements of the same, of those that have it. */
    static Map<Metric, Double> means(List<Map<Metric, Double>> all) {
        Map<Metric, Double> means = new EnumMap<>(Metric.class);
        for (Metric metric : values()) {
            all.stream().filter(each -> each.containsKey(metric)).mapToDouble(each -> each.get(metric)).average()
                    .ifPresent(mean -> means.put(metric, mean));
        }
        return means;
    }

    static Optional<Metric> byKey(String key) {
        for (Metric metric : values()) {
            if (metric.key.equals(key)) {
                return Optional.of(metric);
            }
        }
        return Optional.empty();
    }
}
