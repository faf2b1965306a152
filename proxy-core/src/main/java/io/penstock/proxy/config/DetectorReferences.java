package io.penstock.proxy.config;

import io.penstock.proxy.config.PluginType.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows the references from detectors to detectors: each must lead to one, and none back to where it came from. Told of each detector as
 * it is read, asked once all plugins are known. One thread.
 */
final class DetectorReferences {

    private static final String KEY = "detectors";
    /** Each time that one is asked, which is at every decision of dispatch, so many run at most: a few layers would make millions. */
    static final int MOST = 256;

    private final Plugins plugins;
    /** Where each reference stands, by the name of the detector that holds it and then by the name that it gives. */
    private final Map<String, Map<String, Field>> references = new LinkedHashMap<>();

    DetectorReferences(Plugins plugins) {
        this.plugins = plugins;
    }

    /** Notes what a detector refers to; a list that is no list has been reported by then. */
    void add(PluginSpec detector, Field parameters) {
        if (!(detector.parameters().get(KEY) instanceof List) || !(parameters.value() instanceof YamlValue.Mapping mapping)) {
            return;
        }
        YamlValue.Entry entry = mapping.entries().get(KEY);
        if (entry == null) {
            return;
        }
        Map<String, Field> own = references.computeIfAbsent(detector.name(), name -> new LinkedHashMap<>());
        for (Field item : new Field(parameters.reading(), parameters.path() + '.' + KEY, entry.keyAt(), entry.value()).items()) {
            if (item.value() instanceof YamlValue.Scalar scalar && !scalar.text().isBlank() && !scalar.text().equals(detector.name())) {
                own.putIfAbsent(scalar.text(), item);
            }
        }
    }

    /** These detectors, and those that they ask, however far that leads: each once. */
    static Collection<PluginSpec> reached(Collection<PluginSpec> from, Map<String, PluginSpec> plugins) {
        Map<String, PluginSpec> reached = new LinkedHashMap<>();
        from.forEach(detector -> reach(detector, plugins, reached));
        return reached.values();
    }

    private static void reach(@Nullable PluginSpec detector, Map<String, PluginSpec> plugins, Map<String, PluginSpec> reached) {
        if (detector != null && reached.putIfAbsent(detector.name(), detector) == null) {
            asked(detector).forEach(name -> reach(plugins.get(name), plugins, reached));
        }
    }

    /** Names of the detectors that this one asks itself; empty for most. */
    static List<String> asked(PluginSpec detector) {
        return detector.parameters().get(KEY) instanceof List<?> names ? names.stream().map(String::valueOf).toList() : List.of();
    }

    /** Reports every reference that leads nowhere or to another role, and every circle once, at its first reference. */
    void check() {
        references.values().forEach(own -> own.forEach((name, at) -> plugins.resolve(at, name, Role.DETECTOR, true)));
        Map<String, Integer> asked = new HashMap<>();
        references.keySet().forEach(name -> walk(name, new ArrayList<>(), asked));
    }

    /**
     * How many detectors run when this one is asked, itself among them.
     *
     * @param asked the same of those from which every way has been walked
     */
    private int walk(String name, List<String> path, Map<String, Integer> asked) {
        Map<String, Field> own = references.get(name);
        if (own == null) {
            return 1;
        }
        int first = path.indexOf(name);
        if (first >= 0) {
            List<String> circle = new ArrayList<>(path.subList(first, path.size()));
            circle.add(name);
            own.get(circle.get(1)).error(String.join(" -> ", circle) + ": a circle (expected: no detector that asks itself)");
            return 1;
        }
        Integer known = asked.get(name);
        if (known != null) {
            return known;
        }
        path.add(name);
        int all = 1;
        for (String next : own.keySet()) {
            all += path.size() > MOST ? MOST : walk(next, path, asked);
        }
        path.remove(path.size() - 1);
        if (all > MOST && !own.isEmpty()) {
            own.values().iterator().next().error(name + ": asks too many detectors, itself or through others (expected: at most "
                    + MOST + ", each counted on every way to it)");
            all = 1;
        }
        asked.put(name, all);
        return all;
    }
}
