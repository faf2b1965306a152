package io.penstock.proxy.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** All metrics of the process and their two text forms. Any thread; scrapes never stop what is counted. */
public final class MetricsExport implements AutoCloseable {

    private static final ExpositionFormatWriter TEXT = PrometheusTextFormatWriter.create();
    private static final ExpositionFormatWriter OPEN_METRICS = OpenMetricsTextFormatWriter.create();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<Runnable> beforeScrape = new CopyOnWriteArrayList<>();
    private final boolean legacyNames;

    /** @param legacyNames whether families that had an older name are shown under that too ({@code compat.legacyMetricNames}) */
    public MetricsExport(boolean legacyNames) {
        this.legacyNames = legacyNames;
    }

    MeterRegistry meters() {
        return registry;
    }

    void collect(MultiCollector collector) {
        registry.getPrometheusRegistry().register(collector);
    }

    void beforeScrape(Runnable task) {
        beforeScrape.add(task);
    }

    /**
     * Writes everything: OpenMetrics where the client accepts that, Prometheus' text form otherwise.
     *
     * @return the media type of what was written
     */
    public String scrape(@Nullable String accept, OutputStream out) throws IOException {
        beforeScrape.forEach(Runnable::run);
        MetricSnapshots snapshots = registry.getPrometheusRegistry().scrape();
        ExpositionFormatWriter writer = accept != null && OPEN_METRICS.accepts(accept) ? OPEN_METRICS : TEXT;
        writer.write(out, legacyNames ? LegacyNames.addTo(snapshots) : snapshots, EscapingScheme.UNDERSCORE_ESCAPING);
        return writer.getContentType();
    }

    @Override
    public void close() {
        registry.close();
    }
}
