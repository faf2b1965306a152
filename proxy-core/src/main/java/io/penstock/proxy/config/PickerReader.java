package io.penstock.proxy.config;

import io.penstock.flow.config.FlowControlConfig;
import io.penstock.proxy.config.FlowControlReader.FlowControl;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the document {@code EndpointPickerConfig}. Pure but for problems. */
final class PickerReader {

    /** @param discoveryAt where the discovery plugin is chosen, or null when none is */
    record Picker(PickerSettings settings, @Nullable Location discoveryAt) {
    }

    private static final String NOT_DUE = "not supported yet, ignored; each request goes to the endpoint with the least load";
    private static final String NO_PARSERS = "not supported yet, ignored; no body is read for routing";

    private PickerReader() {
    }

    /** What a missing document means: flow control off, all defaults. */
    static Picker defaults(Reading reading) {
        Location nowhere = new Location(0, "<command line>", 1, 1);
        YamlValue.Mapping empty = new YamlValue.Mapping(nowhere, Map.of(), 1);
        return read(new Section(Field.root(reading, empty), empty), Source.text(""));
    }

    static Picker read(Section section, Source source) {
        boolean enabled = FeatureGates.flowControl(section.field("featureGates"));
        Plugins plugins = new PluginsReader(source, enabled).read(section.field("plugins"));
        FlowControl flow = new FlowControlReader(plugins, enabled).read(section.field("flowControl"), section.field("saturationDetector"));
        DataLayerReader.DataLayer data = new DataLayerReader(plugins, section.reading().options()).read(section.field("dataLayer"));
        profiles(section.field("schedulingProfiles"), plugins);
        section.field("requestHandler").open(handler -> parsers(handler.field("parsers"), plugins));
        Field parser = section.field("parser");
        if (parser.present()) {
            parser.warning(NO_PARSERS);
            parser.open(inner -> reference(inner, plugins));
        }
        FlowControlConfig config = flow.evicts() ? flow.config().withEviction(EvictionGrace.nanos(flow.saturation(), plugins.usable(),
                data.metrics(), section.reading().options().metricsStaleness())) : flow.config();
        PickerSettings settings = new PickerSettings(enabled, config, flow.saturation().detector(), flow.saturation().stages(),
                flow.usageLimit(), flow.bandSelection(), plugins.usable(), data.discovery(), data.metrics(),
                new LoadReader(plugins, section.reading()).read(config, flow.saturation(), enabled));
        MetricsFreshness.check(settings, data, section.reading());
        return new Picker(settings, data.discoveryAt());
    }

    private static void profiles(Field list, Plugins plugins) {
        if (!list.present()) {
            return;
        }
        list.warning(NOT_DUE);
        for (Field item : list.items()) {
            item.open(profile -> {
                profile.field("name").text();
                Field members = profile.field("plugins");
                for (Field member : members.items()) {
                    member.open(entry -> weighted(entry, plugins));
                }
            });
        }
    }

    private static void weighted(Section entry, Plugins plugins) {
        Field weight = entry.field("weight");
        if (weight.present() && !(ParameterValues.plain(weight) instanceof Number)) {
            weight.unexpected("a number");
        }
        reference(entry, plugins);
    }

    private static void parsers(Field list, Plugins plugins) {
        if (list.present()) {
            list.warning(NO_PARSERS);
            list.items().forEach(item -> item.open(entry -> reference(entry, plugins)));
        }
    }

    private static void reference(Section entry, Plugins plugins) {
        Field reference = entry.required("pluginRef", "a plugin's name");
        String name = reference.name();
        if (name != null) {
            plugins.require(reference, name);
        }
    }
}
