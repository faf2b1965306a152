package io.penstock.proxy.config;

import io.penstock.flow.config.GoDuration;
import io.penstock.proxy.config.DataLayerReader.DataLayer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Warns where metrics are read so seldom, or not at all, that those who rely on them take endpoints for full. A warning and no error:
 * llm-d takes such documents. Pure but for problems.
 */
final class MetricsFreshness {

    private static final String STALENESS = "metricsStalenessThreshold";
    /** The default of a utilization detector's threshold. */
    private static final long DETECTOR_STALENESS_NANOS = Duration.ofMillis(200).toNanos();

    private final PickerSettings settings;
    private final DataLayer data;
    private final Reading reading;

    private MetricsFreshness(PickerSettings settings, DataLayer data, Reading reading) {
        this.settings = settings;
        this.data = data;
        this.reading = reading;
    }

    static void check(PickerSettings settings, DataLayer data, Reading reading) {
        new MetricsFreshness(settings, data, reading).check();
    }

    private void check() {
        List<PluginSpec> named = new ArrayList<>(List.of(settings.defaultDetector()));
        named.addAll(settings.stageDetectors().values());
        DetectorReferences.reached(named, settings.plugins()).stream().filter(spec -> spec.type().equals(PluginType.UTILIZATION))
                .forEach(this::detector);
        long staleness = reading.options().metricsStaleness().toNanos();
        MetricsSettings metrics = data.metrics();
        if (metrics != null && isTooSeldom(metrics, staleness)) {
            warn("metrics are read every " + shown(metrics.interval().toNanos()) + ", which is not below --metrics-staleness-threshold ("
                    + shown(staleness) + "): the pool's averages miss endpoints in between");
        }
    }

    private void detector(PluginSpec spec) {
        long nanos = spec.parameters().get(STALENESS) instanceof String text ? GoDuration.tryParseNanos(text) : DETECTOR_STALENESS_NANOS;
        if (nanos == GoDuration.INVALID) {
            return;
        }
        MetricsSettings metrics = data.metrics();
        if (metrics == null) {
            warn(spec.name() + " needs metrics, and none are read: it takes every endpoint for full, always");
        } else if (isTooSeldom(metrics, nanos)) {
            warn("metrics are read every " + shown(metrics.interval().toNanos()) + ", which is not below the " + STALENESS + " of "
                    + spec.name() + " (" + shown(nanos) + "): it takes endpoints for full in between");
        }
    }

    /** Intervals vary by a tenth, and an answer takes its time. */
    private static boolean isTooSeldom(MetricsSettings metrics, long stalenessNanos) {
        return metrics.interval().toNanos() >= stalenessNanos - stalenessNanos / 10;
    }

    private static String shown(long nanos) {
        return GoDuration.format(nanos);
    }

    private void warn(String message) {
        reading.warning(data.metricsAt(), "dataLayer: " + message);
    }
}
