package io.penstock.proxy.config;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.Stage;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.proxy.config.BandReader.Band;
import io.penstock.proxy.config.PluginType.Role;
import io.penstock.proxy.config.SaturationReader.Saturation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads {@code flowControl} (spec/flow-control sections 1.4, 1.6, 1.7 and 14). Pure but for problems. */
final class FlowControlReader {

    /**
     * All that the section decides.
     *
     * @param bandSelection null for strict priority
     * @param evicts whether running requests may be stopped
     */
    record FlowControl(FlowControlConfig config, Saturation saturation, PluginSpec usageLimit, @Nullable PluginSpec bandSelection,
            boolean evicts) {
    }

    private static final long UNBOUNDED = CapacitySnapshot.UNBOUNDED;
    private static final List<String> WITHOUT_EFFECT_WHEN_OFF = List.of("maxBytes", "maxRequests", "defaultRequestTTL",
            "noEndpointRequestTTL", "defaultPriorityBand", "defaultNegativePriorityBand", "priorityBands", "usageLimitPolicyPluginRef",
            "bandSelectionPolicyPluginRef");

    private final Plugins plugins;
    private final boolean enabled;

    FlowControlReader(Plugins plugins, boolean enabled) {
        this.plugins = plugins;
        this.enabled = enabled;
    }

    /**
     * @param field the section, which may be absent
     * @param alias the deprecated top-level {@code saturationDetector}
     */
    FlowControl read(Field field, Field alias) {
        if (alias.present()) {
            alias.notice("is the old place (expected: flowControl.saturationDetector)");
        }
        FlowControl read = field.map(section -> section(section, alias));
        if (read != null) {
            return read;
        }
        Saturation saturation = new SaturationReader(plugins).read(alias);
        warnIgnored(alias, saturation.ignoredWhenOff());
        FlowControlConfig none = FlowControlConfig.defaults();
        return new FlowControl(new FlowControlConfig(none.maxRequests(), none.maxBytes(), none.requestTtlNanos(), none.noEndpointTtlNanos(),
                none.defaultBand(), null, List.of(), saturation.gateOn()), saturation,
                usageLimit(field, PluginType.STATIC_LIMIT), null, false);
    }

    private FlowControl section(Section section, Field alias) {
        Field detector = section.field("saturationDetector");
        if (detector.present() && alias.present()) {
            alias.warning("ignored, since flowControl.saturationDetector is there");
        }
        Saturation saturation = new SaturationReader(plugins).read(detector.present() ? detector : alias);
        FlowControlConfig config = config(section, saturation.gateOn());
        boolean evicts = evicts(section.field("enableEviction"), saturation.gateOn());
        PluginSpec usageLimit = usageLimit(section.field("usageLimitPolicyPluginRef"));
        PluginSpec bandSelection = bandSelection(section.field("bandSelectionPolicyPluginRef"));
        List<String> ignored = new ArrayList<>();
        for (String key : WITHOUT_EFFECT_WHEN_OFF) {
            if (section.field(key).present()) {
                ignored.add(section.field(key).path());
            }
        }
        ignored.addAll(saturation.ignoredWhenOff());
        warnIgnored(section, ignored);
        return new FlowControl(config, saturation, usageLimit, bandSelection, evicts);
    }

    /** Without effect, and so without a word, while the gate is off, as in llm-d. */
    private boolean evicts(Field field, GateOn gateOn) {
        Stage stage = gateOn.stage();
        boolean evicts = field.flag(false);
        if (evicts && enabled && stage != null) {
            field.warning("true stops running requests whatever stage they are in, also where that does not lower the load of "
                    + stage.label() + ", on which dispatch is gated");
        }
        return evicts && enabled;
    }

    private FlowControlConfig config(Section section, GateOn gateOn) {
        Field requests = section.field("maxRequests");
        Field bytes = section.field("maxBytes");
        long maxRequests = BandReader.limit(requests, UNBOUNDED, BandConfig.MAX_REQUESTS);
        long maxBytes = BandReader.limit(bytes, UNBOUNDED, BandConfig.MAX_BYTES);
        Field budget = section.field("defaultRequestTTL");
        Long ttl = budget.nanos(0, Long.MAX_VALUE);
        Field emptyBudget = section.field("noEndpointRequestTTL");
        Long emptyTtl = emptyBudget.nanos(0, Long.MAX_VALUE);
        long requestTtl = ttl == null ? FlowControlConfig.DEFAULT_TTL_NANOS : ttl;

        Band template = template(section.field("defaultPriorityBand"), "default priority band");
        Band negative = template(section.field("defaultNegativePriorityBand"), "default negative priority band");
        Map<Integer, Band> bands = bands(section.field("priorityBands"));
        warnOfHiddenDefaults(requests, bytes, maxRequests, maxBytes, takingDefaults(section, template, negative, bands));
        Band usedTemplate = template == null ? BandReader.system("", section.at()) : template;
        return new FlowControlConfig(maxRequests, maxBytes, requestTtl, emptyTtl == null ? requestTtl : emptyTtl, usedTemplate.config(),
                negative == null ? null : negative.config(), bands.values().stream().map(Band::config).toList(), gateOn);
    }

    private @Nullable Band template(Field field, String label) {
        return field.map(band -> new BandReader(plugins, enabled).read(band, label));
    }

    private Map<Integer, Band> bands(Field list) {
        Map<Integer, Band> bands = new LinkedHashMap<>();
        for (Field item : list.items()) {
            Band band = item.map(section -> new BandReader(plugins, enabled).read(section, ""));
            if (band == null) {
                continue;
            }
            Band first = bands.putIfAbsent(band.config().priority(), band);
            if (first != null) {
                item.error("priority " + band.config().priority() + " given twice (first at " + first.at() + ')');
            }
        }
        return bands;
    }

    /** All bands that may take a default; with no template and no band 0 the one that is made up for it. */
    private static List<Band> takingDefaults(Section section, @Nullable Band template, @Nullable Band negative, Map<Integer, Band> bands) {
        List<Band> all = new ArrayList<>(bands.values());
        if (template != null) {
            all.add(template);
        } else if (!bands.containsKey(0)) {
            all.add(BandReader.system("priority band 0", section.at()));
        }
        if (negative != null) {
            all.add(negative);
        }
        return all;
    }

    /** A band's own limit counts too, so a default below the global limit is a lower limit than the one that was written. */
    private void warnOfHiddenDefaults(Field requests, Field bytes, long maxRequests, long maxBytes, List<Band> bands) {
        if (enabled && maxRequests > BandConfig.DEFAULT_MAX_REQUESTS) {
            warnOfHiddenDefault(requests, BandConfig.DEFAULT_MAX_REQUESTS, bands, Band::defaultRequests);
        }
        if (enabled && maxBytes > BandConfig.DEFAULT_MAX_BYTES) {
            warnOfHiddenDefault(bytes, BandConfig.DEFAULT_MAX_BYTES, bands, Band::defaultBytes);
        }
    }

    private static void warnOfHiddenDefault(Field global, long fallback, List<Band> bands, Predicate<Band> takesDefault) {
        List<String> labels = bands.stream().filter(takesDefault).map(Band::label).toList();
        if (!labels.isEmpty()) {
            String key = global.path().substring(global.path().indexOf('.') + 1);
            global.warning("more than the default of " + fallback + " that limits " + String.join(", ", labels) + " (expected: " + key
                    + " in the band too)");
        }
    }

    private PluginSpec usageLimit(Field reference) {
        String text = reference.text("");
        return usageLimit(reference, text.isEmpty() ? PluginType.STATIC_LIMIT : text);
    }

    private PluginSpec usageLimit(Field reference, String name) {
        Plugins.Declared plugin = plugins.resolve(reference, name, Role.USAGE_LIMIT, enabled);
        return plugin == null ? PluginSpec.plain(PluginType.STATIC_LIMIT) : plugin.spec();
    }

    private @Nullable PluginSpec bandSelection(Field reference) {
        String text = reference.text("");
        Plugins.Declared plugin = text.isEmpty() ? null : plugins.resolve(reference, text, Role.BAND_SELECTION, enabled);
        return plugin == null ? null : plugin.spec();
    }

    private void warnIgnored(Field at, List<String> paths) {
        if (!enabled && !paths.isEmpty()) {
            at.warning(ignored(paths));
        }
    }

    private void warnIgnored(Section section, List<String> paths) {
        if (!enabled && !paths.isEmpty()) {
            section.reading().warning(section.at(), section.path() + ": " + ignored(paths));
        }
    }

    private static String ignored(List<String> paths) {
        return "ignored while flow control is off: " + String.join(", ", paths) + " (expected: featureGates: [flowControl])";
    }
}
