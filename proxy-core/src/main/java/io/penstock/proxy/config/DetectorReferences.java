package io.penstock.proxy.config;

import io.penstock.proxy.config.PluginType.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Follows the references from detectors to detectors: each must lead to one, and none back to where it came from. Told of each detector as
 * it is read, asked once all plugins are known. One thread.
 */
final class DetectorReferences {

    private static final String KEY = "detectors";

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

    /** Reports every reference that leads nowhere or to another role, and every circle once, at its first reference. */
    void check() {
        references.values().forEach(own -> own.forEach((name, at) -> plugins.resolve(at, name, Role.DETECTOR, true)));
        List<String> cleared = new ArrayList<>();
        references.keySet().forEach(name -> walk(name, new ArrayList<>(), cleared));
    }

    /** @param cleared detectors from which every way has been walked */
    private void walk(String name, List<String> path, List<String> cleared) {
        Map<String, Field> own = references.get(name);
        if (own == null) {
            return;
        }
        int first = path.indexOf(name);
        if (first >= 0) {
            List<String> circle = new ArrayList<>(path.subList(first, path.size()));
            circle.add(name);
            own.get(circle.get(1)).error(String.join(" -> ", circle) + ": a circle (expected: no detector that asks itself)");
            return;
        }
        if (cleared.contains(name)) {
            return;
        }
        path.add(name);
        own.keySet().forEach(next -> walk(next, path, cleared));
        path.remove(path.size() - 1);
        cleared.add(name);
    }
}
