package io.penstock.proxy.config;

import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters of {@code inflight-load-producer} and {@code token-producer}, and finds out whether anything in use counts tokens.
 * Pure but for problems.
 */
final class LoadReader {

    private final Plugins plugins;
    private final Reading reading;

    LoadReader(Plugins plugins, Reading reading) {
        this.plugins = plugins;
        this.reading = reading;
    }

    /** Parameters of an {@code inflight-load-producer}. */
    static LoadAccounting producer(Section section) {
        LoadAccounting defaults = LoadAccounting.DEFAULTS;
        boolean output = section.field("addEstimatedOutputTokens").flag(defaults.addEstimatedOutputTokens());
        double ratio = ratio(section.field("outputRatio"), defaults.outputRatio());
        long most = most(section.field("maxEstimatedOutputTokens"));
        Field prefix = section.field("prefixMatchInfoProducerName");
        if (prefix.present()) {
            prefix.warning("ignored: no prefix cache is known, so all of a prompt counts");
        }
        Field sync = section.field("syncCrossReplicaState");
        if (sync.present() && sync.flag(true)) {
            sync.warning("ignored: each replica counts its own requests");
        }
        return new LoadAccounting(false, output, ratio, most);
    }

    private static double ratio(Field field, double fallback) {
        if (!field.present()) {
            return fallback;
        }
        Object value = ParameterValues.plain(field);
        if (!(value instanceof Number number) || !(number.doubleValue() >= 0) || Double.isInfinite(number.doubleValue())) {
            field.unexpected("a number, 0 or more");
            return fallback;
        }
        return number.doubleValue();
    }

    private static long most(Field field) {
        if (!field.present()) {
            return LoadAccounting.DEFAULTS.maxEstimatedOutputTokens();
        }
        if (!(ParameterValues.plain(field) instanceof Long number) || number < 0) {
            field.unexpected("a whole number, 0 or more");
            return LoadAccounting.DEFAULTS.maxEstimatedOutputTokens();
        }
        return number;
    }

    /** Parameters of a {@code token-producer}: only the estimate is built. */
    static Section checkTokens(Section section) {
        section.field("mode").choice("estimate", "estimate");
        for (String other : new String[] {"url", "timeout", "mmTimeout", "modelName"}) {
            if (section.field(other).present()) {
                section.field(other).warning("ignored, since tokens are estimated");
            }
        }
        return section;
    }

    /** What the configuration as a whole charges; one producer at most, since a process has one count. */
    LoadAccounting read(FlowControlConfig flow, SaturationReader.Saturation saturation, boolean enabled) {
        List<Plugins.Declared> producers = plugins.ofType(PluginType.LOAD_PRODUCER);
        for (Plugins.Declared second : producers.subList(Math.min(1, producers.size()), producers.size())) {
            reading.error(second.at(), "plugin " + second.spec().name() + ": a second " + PluginType.LOAD_PRODUCER
                    + " (expected: one, since in-flight load is counted once)");
        }
        Object parameters = producers.isEmpty() ? null : producers.get(0).typed();
        LoadAccounting chosen = parameters instanceof LoadAccounting read ? read : LoadAccounting.DEFAULTS;
        return chosen.counting(countsTokens(flow, saturation, enabled));
    }

    private boolean countsTokens(FlowControlConfig flow, SaturationReader.Saturation saturation, boolean enabled) {
        Map<String, PluginSpec> usable = plugins.usable();
        List<PluginSpec> detectors = new ArrayList<>(List.of(saturation.detector()));
        if (!enabled) {
            // With flow control off neither stages nor bands count.
            return DetectorReferences.reached(detectors, usable).stream().anyMatch(LoadReader::countsTokens);
        }
        detectors.addAll(saturation.stages().values());
        return DetectorReferences.reached(detectors, usable).stream().anyMatch(LoadReader::countsTokens)
                || bands(flow).stream().anyMatch(band -> costsTokens(usable.get(band.fairnessPolicyRef())));
    }

    private static boolean countsTokens(PluginSpec detector) {
        Object mode = detector.parameters().get("concurrencyMode");
        return "tokens".equals(mode) || "hybrid".equals(mode);
    }

    private static boolean costsTokens(@Nullable PluginSpec policy) {
        return policy != null && "tokens".equals(policy.parameters().get("cost"));
    }

    private static List<BandConfig> bands(FlowControlConfig flow) {
        List<BandConfig> bands = new ArrayList<>(flow.bands());
        bands.add(flow.defaultBand());
        BandConfig negative = flow.defaultNegativeBand();
        if (negative != null) {
            bands.add(negative);
        }
        return bands;
    }
}
