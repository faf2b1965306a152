package io.penstock.proxy.config;

import io.penstock.proxy.config.ObjectiveReader.Objective;
import io.penstock.proxy.config.ProxyConfig.Drain;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Loads configuration documents: reads every source to its end, reports all problems at once, and makes settings only when none is an error
 * (contract section 2). Any thread; each load stands alone.
 */
public final class ConfigLoader {

    private static final String PICKER = "EndpointPickerConfig";
    private static final String OBJECTIVE = "InferenceObjective";
    private static final String REWRITE = "InferenceModelRewrite";
    private static final String PROXY = "ProxyConfig";
    private static final String OLD_GROUP = "inference.networking.x-k8s.io";
    /** The current apiVersion of each kind. */
    private static final Map<String, String> VERSIONS = new TreeMap<>(Map.of(PICKER, "llm-d.ai/v1alpha1", OBJECTIVE, "llm-d.ai/v1alpha2",
            REWRITE, "llm-d.ai/v1alpha2", PROXY, "penstock.io/v1alpha1"));

    private final Reading reading;
    private final Map<String, Location> once = new TreeMap<>();
    private final Map<String, Objective> objectives = new LinkedHashMap<>();
    private PickerReader.@Nullable Picker picker;
    private ProxyReader.@Nullable Proxy proxy;

    private ConfigLoader(Reading reading) {
        this.reading = reading;
    }

    /** Reads all sources in order. Never throws for what they hold. */
    public static LoadResult load(List<Source> sources, LoadOptions options) {
        return load(sources, new Reading(options));
    }

    static LoadResult load(List<Source> sources, Reading reading) {
        ConfigLoader loader = new ConfigLoader(reading);
        for (int rank = 0; rank < sources.size(); rank++) {
            Source source = sources.get(rank);
            String text = source.read(reading, rank);
            if (text != null) {
                YamlDocuments.read(reading, rank, source.name(), text).forEach(document -> loader.document(source, document));
            }
        }
        Settings settings = loader.settings();
        return new LoadResult(reading.failed() ? null : settings, reading.problems());
    }

    private void document(Source source, YamlValue root) {
        if (!(root instanceof YamlValue.Mapping mapping)) {
            reading.error(root.at(), Text.shown(root) + ": no document (expected: a map with apiVersion and kind)");
            return;
        }
        Field field = Field.root(reading, root);
        String kind = mapping.entries().containsKey("kind") ? new Section(field, mapping).field("kind").text() : null;
        if (kind == null) {
            if (!mapping.entries().containsKey("kind")) {
                reading.error(root.at(), "kind: missing (expected: " + String.join(", ", VERSIONS.keySet()) + ')');
            }
            return;
        }
        reading.enter(kind);
        field.open(section -> {
            String version = section.required("apiVersion", VERSIONS.getOrDefault(kind, "a group and version")).text();
            section.field("kind");
            dispatch(source, section, kind, version);
        });
    }

    private void dispatch(Source source, Section section, String kind, @Nullable String version) {
        switch (kind) {
            case PICKER -> {
                checkVersion(section, kind, version, OLD_GROUP + "/v1alpha1");
                PickerReader.Picker read = PickerReader.read(section, source);
                picker = isFirst(section, kind) ? read : picker;
            }
            case PROXY -> {
                checkVersion(section, kind, version, null);
                ProxyReader.Proxy read = ProxyReader.read(section, source);
                proxy = isFirst(section, kind) ? read : proxy;
            }
            case OBJECTIVE -> {
                checkVersion(section, kind, version, OLD_GROUP + "/v1alpha2");
                objective(section);
            }
            case REWRITE -> {
                section.field("kind").error(REWRITE + ": not supported yet (expected: " + String.join(", ", supported()) + ')');
                section.all();
            }
            default -> {
                section.field("kind").error(Text.shown(kind) + ": unknown kind " + Text.hint(kind, VERSIONS.keySet()));
                section.all();
            }
        }
    }

    private static Set<String> supported() {
        Set<String> kinds = new TreeSet<>(VERSIONS.keySet());
        kinds.remove(REWRITE);
        return kinds;
    }

    private static void checkVersion(Section section, String kind, @Nullable String version, @Nullable String old) {
        String current = VERSIONS.getOrDefault(kind, "");
        if (version == null || version.equals(current)) {
            return;
        }
        if (version.equals(old)) {
            section.field("apiVersion").notice(old + " is the old group (expected: " + current + ')');
            return;
        }
        section.field("apiVersion").unexpected(current);
    }

    private boolean isFirst(Section section, String kind) {
        Location first = once.putIfAbsent(kind, section.at());
        if (first != null) {
            section.field("kind").error("second " + kind + " (first at " + first + ')');
        }
        return first == null;
    }

    private void objective(Section section) {
        Objective read = ObjectiveReader.read(section);
        Objective first = read == null ? null : objectives.putIfAbsent(read.name(), read);
        if (first != null) {
            reading.error(section.at(), "objective " + first.name() + " given twice (first at " + first.at() + ')');
        }
    }

    private Settings settings() {
        PickerReader.Picker pick = picker == null ? defaults() : picker;
        Location endpointsAt = proxy == null ? null : proxy.endpointsAt();
        Location discoveryAt = pick.discoveryAt();
        if (endpointsAt != null && discoveryAt != null) {
            reading.error(endpointsAt, "endpoints: given next to the discovery plugin at " + discoveryAt + " (expected: one of both)");
        }
        Map<String, Integer> priorities = new LinkedHashMap<>();
        objectives.values().forEach(objective -> priorities.put(objective.name(), objective.priority()));
        return new Settings(withFlags(proxy == null ? ProxyConfig.defaults() : proxy.config()), pick.settings(), priorities);
    }

    private PickerReader.Picker defaults() {
        reading.enter(PICKER);
        return PickerReader.defaults(reading);
    }

    private ProxyConfig withFlags(ProxyConfig config) {
        LoadOptions options = reading.options();
        Drain drain = options.drainTimeout() == null ? config.drain() : new Drain(config.drain().grace(), options.drainTimeout());
        return new ProxyConfig(config.listeners(), config.admin(), ProxyReader.withPort(config.metrics(), options.metricsPort()),
                config.endpoints(), config.upstream(), config.timeouts(), config.limits(), drain, config.accessLog(), config.compat());
    }
}
