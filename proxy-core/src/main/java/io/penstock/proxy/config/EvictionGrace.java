package io.penstock.proxy.config;

import io.penstock.flow.Stage;
import io.penstock.proxy.config.SaturationReader.Saturation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long the end of a stopped request needs until what gates dispatch shows it (spec/flow-control sections 6.5 and 9): next to nothing
 * where a detector counts by itself, a scrape's whole way where it reads metrics. Of several detectors the slowest counts, the default one
 * included wherever it may be asked. Pure.
 */
final class EvictionGrace {

    private static final long EXACT_NANOS = 10_000_000;
    private static final long SLACK_NANOS = 250_000_000;
    private static final String COUNTS = "concurrency-detector";

    private EvictionGrace() {
    }

    /**
     * @param plugins every declared plugin by name, for detectors that ask others
     * @param metrics how they are read; null when they are not
     * @param staleness {@code --metrics-staleness-threshold}
     */
    static long nanos(Saturation saturation, Map<String, PluginSpec> plugins, @Nullable MetricsSettings metrics, Duration staleness) {
        boolean exact = DetectorReferences.reached(gating(saturation), plugins).stream()
                .allMatch(detector -> detector.type().equals(COUNTS) || !DetectorReferences.asked(detector).isEmpty());
        long interval = metrics == null ? 0 : metrics.interval().toNanos();
        return exact ? EXACT_NANOS : interval + staleness.toNanos() + SLACK_NANOS;
    }

    /** The detectors whose value may be the one that gates. */
    private static List<PluginSpec> gating(Saturation saturation) {
        Stage named = saturation.gateOn().stage();
        if (named != null) {
            return List.of(saturation.stages().getOrDefault(named, saturation.detector()));
        }
        List<PluginSpec> all = new ArrayList<>(saturation.stages().values());
        all.add(saturation.detector());
        return all;
    }
}
