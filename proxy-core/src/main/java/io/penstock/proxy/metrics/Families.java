package io.penstock.proxy.metrics;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the series of one scrape, family by family; a family without series is left out, and of two series with the same labels the last
 * stays: a page that holds a series twice is refused whole by Prometheus. Confined to the scrape that made it.
 */
final class Families {

    private record Gauges(MetricMetadata family, Map<Labels, GaugeDataPointSnapshot> series) {
    }

    private record Histograms(MetricMetadata family, Map<Labels, HistogramDataPointSnapshot> series) {
    }

    private final Map<String, Gauges> gauges = new LinkedHashMap<>();
    private final Map<String, Histograms> histograms = new LinkedHashMap<>();

    void gauge(String name, String help, double value, Labels labels) {
        gauges.computeIfAbsent(name, n -> new Gauges(new MetricMetadata(n, help), new LinkedHashMap<>())).series
                .put(labels, new GaugeDataPointSnapshot(value, labels, null));
    }

    /** A value that is null has no series. */
    void gauge(String name, String help, @Nullable Double value, Labels labels) {
        if (value != null) {
            gauge(name, help, value.doubleValue(), labels);
        }
    }

    void histogram(String name, String help, Timings timings, Labels labels) {
        histograms.computeIfAbsent(name, n -> new Histograms(new MetricMetadata(n, help), new LinkedHashMap<>())).series
                .put(labels, timings.snapshot(labels));
    }

    MetricSnapshots snapshots() {
        List<MetricSnapshot> all = new ArrayList<>();
        gauges.values().forEach(family -> all.add(new GaugeSnapshot(family.family, family.series.values())));
        histograms.values().forEach(family -> all.add(new HistogramSnapshot(family.family, family.series.values())));
        return new MetricSnapshots(all);
    }
}
