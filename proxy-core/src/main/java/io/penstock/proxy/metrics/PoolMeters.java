package io.penstock.proxy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.proxy.admin.EndpointRow;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint picker's families under llm-d's names (spec/routing section 6.2), computed at each scrape from the pool's rows. Any thread.
 *
 * <p>Averages are over endpoints whose last scrape is fresh, rounded to two decimals, with the sample standard deviation. Without a fresh
 * endpoint they keep what they had, and only {@code ready_endpoints} goes to 0, as llm-d's do.
 */
public final class PoolMeters {

    private static final String PREFIX = "llm_d_epp_";
    private static final String ALPHA = "[ALPHA] ";
    /** The name under which llm-d's own accounting of in-flight load appears. */
    private static final String PRODUCER = "inflight-load-producer";

    private record Gauge(String name, String help, Labels labels, DoubleSupplier value) {
    }

    private final MeterRegistry registry;
    private final String pool;
    private final Supplier<List<EndpointRow>> endpoints;
    private final long stalenessMs;
    private final Map<String, Gauge> detectorGauges = new ConcurrentHashMap<>();
    private volatile @Nullable PoolAverages last;

    /**
     * @param pool value of the labels {@code name} and {@code inference_pool}
     * @param endpoints the pool's members now
     * @param staleness age above which a scrape does not count ({@code --metrics-staleness-threshold})
     */
    public PoolMeters(MetricsExport export, String pool, Supplier<List<EndpointRow>> endpoints, Duration staleness) {
        this.registry = export.meters();
        this.pool = pool;
        this.endpoints = endpoints;
        this.stalenessMs = staleness.toMillis();
        export.collect(this::collect);
    }

    /** A scrape of a model server failed. */
    public void pollError(String sourceType) {
        Counter.builder(PREFIX + "datalayer_poll_errors_total")
                .description(ALPHA + "Scrapes of model servers that failed.")
                .tags("source_type", sourceType)
                .register(registry)
                .increment();
    }

    /** A scrape of a model server lacked something, or held what could not be read. */
    public void extractError(String sourceType, String extractorType) {
        Counter.builder(PREFIX + "datalayer_extract_errors_total")
                .description(ALPHA + "Scrapes of model servers in which a value was missing or unreadable.")
                .tags("source_type", sourceType, "extractor_type", extractorType)
                .register(registry)
                .increment();
    }

    /**
     * Shows one child of a {@code max-saturation-detector} (contract section 5). Called once a child and stage.
     *
     * @param value NaN while there is no series, since the stage has no endpoints
     */
    public void detectorSaturation(String detector, String stage, DoubleSupplier value) {
        show(new Gauge(PREFIX + "flow_control_detector_saturation", ALPHA + "Saturation as one detector measures it.",
                Labels.of("inference_pool", pool, "detector", detector, "stage", stage), value));
    }

    /** Shows how many endpoints a utilization detector counts as unknown. Called once a detector. */
    public void staleEndpoints(String detector, DoubleSupplier value) {
        show(new Gauge(PREFIX + "flow_control_stale_endpoints", ALPHA + "Endpoints without a fresh sample, as a detector sees them.",
                Labels.of("detector", detector), value));
    }

    private void show(Gauge gauge) {
        detectorGauges.put(gauge.name + gauge.labels, gauge);
    }

    private MetricSnapshots collect() {
        Families families = new Families();
        for (Gauge gauge : detectorGauges.values()) {
            double value = gauge.value.getAsDouble();
            if (!Double.isNaN(value)) {
                families.gauge(gauge.name, gauge.help, value, gauge.labels);
            }
        }
        List<EndpointRow> rows = endpoints.get();
        List<EndpointRow> fresh = rows.stream().filter(this::fresh).toList();
        if (!fresh.isEmpty()) {
            last = PoolAverages.of(fresh);
        }
        Labels name = Labels.of("name", pool);
        families.gauge(PREFIX + "ready_endpoints", ALPHA + "Endpoints with a fresh scrape.", fresh.size(), name);
        PoolAverages averages = last;
        if (averages != null) {
            averages.show(families, PREFIX, ALPHA, name);
        }
        for (EndpointRow row : rows) {
            endpoint(families, row);
        }
        return families.snapshots();
    }

    private boolean fresh(EndpointRow row) {
        return row.lastScrapeAgeMs() != null && row.lastScrapeAgeMs() <= stalenessMs;
    }

    private void endpoint(Families families, EndpointRow row) {
        int slash = row.name().indexOf('/');
        String endpoint = row.name().substring(slash + 1);
        Integer waiting = row.waiting();
        if (waiting != null) {
            families.gauge(PREFIX + "per_endpoint_queue_size", ALPHA + "Requests in a model server's own queue.", waiting,
                    Labels.of("name", pool, "model_server_endpoint", endpoint));
        }
        Labels labels = Labels.of("endpoint_name", endpoint, "namespace", slash < 0 ? "" : row.name().substring(0, slash),
                "producer_name", PRODUCER, "fairness_id", "", "priority", "");
        families.gauge(PREFIX + "inflight_requests", ALPHA + "Requests dispatched to an endpoint and not over.", row.inFlightRequests(),
                labels);
        families.gauge(PREFIX + "inflight_tokens", ALPHA + "Tokens charged to an endpoint by requests that are not over.",
                row.inFlightTokens(), labels);
    }

    /** Averages over the fresh endpoints of one scrape. */
    private record PoolAverages(Spread kvCache, Spread queue, Spread running) {

        static PoolAverages of(List<EndpointRow> fresh) {
            return new PoolAverages(Spread.of(fresh, EndpointRow::kvCacheUsage), Spread.of(fresh, EndpointRow::waiting),
                    Spread.of(fresh, EndpointRow::running));
        }

        void show(Families families, String prefix, String alpha, Labels name) {
            kvCache.show(families, prefix, "kv_cache_utilization", alpha, "the fraction of the KV cache in use", name);
            queue.show(families, prefix, "queue_size", alpha, "requests in the model servers' own queues", name);
            running.show(families, prefix, "running_requests", alpha, "requests that the model servers run", name);
        }
    }

    private record Spread(double mean, double deviation) {

        /** Over those that say; 0 where none does. */
        static Spread of(List<EndpointRow> rows, Function<EndpointRow, @Nullable Number> value) {
            double[] said = rows.stream().map(value).filter(Objects::nonNull).mapToDouble(Number::doubleValue).toArray();
            double mean = Arrays.stream(said).average().orElse(0);
            double squares = Arrays.stream(said).map(v -> (v - mean) * (v - mean)).sum();
            return new Spread(rounded(mean), rounded(Math.sqrt(squares / Math.max(1, said.length - 1))));
        }

        private static double rounded(double value) {
            return Math.round(value * 100) / 100.0;
        }

        void show(Families families, String prefix, String what, String alpha, String words, Labels name) {
            families.gauge(prefix + "average_" + what, alpha + "Mean over fresh endpoints of " + words + '.', mean, name);
            families.gauge(prefix + "std_dev_" + what, alpha + "Sample standard deviation over fresh endpoints of " + words + '.',
                    deviation, name);
        }
    }
}
