package io.penstock.proxy.config;

import io.penstock.flow.Stage;
import io.penstock.proxy.config.SaturationReader.Saturation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How long the end of a stopped request needs until what gates dispatch shows it (spec/flow-control sections 6.5 and 9): next to nothing
 * where a detector counts by itself, a scrape's whole way where it reads metrics. Of several detectors the slowest counts, the default one
 * included wherever it may be asked. Pure.
 */
final class EvictionGrace {

    private static final long EXACT_NANOS = 10_000_000;
    private static final Duration DEFAULT_STALENESS = Duration.ofSeconds(2);
    private static final long SLACK_NANOS = 250_000_000;
    private static final String COUNTS = "concurrency-detector";
    private static final String ASKS_OTHERS = "detectors";

    private final Map<String, PluginSpec> plugins;
    private final long scrapedNanos;
    private final Set<String> seen = new TreeSet<>();

    private EvictionGrace(Map<String, PluginSpec> plugins, Duration refresh, Duration staleness) {
        this.plugins = plugins;
        this.scrapedNanos = refresh.toNanos() + staleness.toNanos() + SLACK_NANOS;
    }

    /**
     * @param plugins every declared plugin by name, for detectors that ask others
     * @param metrics how they are read; null when they are not
     * @param staleness {@code --metrics-staleness-threshold}; null where it was not given
     */
    static long nanos(Saturation saturation, Map<String, PluginSpec> plugins, @Nullable MetricsSettings metrics,
            @Nullable Duration staleness) {
        EvictionGrace grace = new EvictionGrace(plugins, metrics == null ? Duration.ZERO : metrics.interval(),
                staleness == null ? DEFAULT_STALENESS : staleness);
        return gating(saturation).stream().mapToLong(grace::of).max().orElse(grace.scrapedNanos);
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

    private long of(PluginSpec detector) {
        if (detector.type().equals(COUNTS)) {
            return EXACT_NANOS;
        }
        if (!(detector.parameters().get(ASKS_OTHERS) instanceof List<?> others) || !seen.add(detector.name())) {
            return scrapedNanos;
        }
        return others.stream().map(plugins::get).mapToLong(other -> other == null ? scrapedNanos : of(other)).max().orElse(scrapedNanos);
    }
}
