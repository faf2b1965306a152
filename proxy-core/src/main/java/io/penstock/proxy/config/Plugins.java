package io.penstock.proxy.config;

import io.penstock.flow.config.BandConfig;
import io.penstock.proxy.config.PluginType.Role;
import io.penstock.proxy.config.PluginType.Support;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The plugins of a document by name, and the one way to follow a reference to them (spec/flow-control sections 1.3 and 1.6). Those that
 * llm-d adds by itself are added here. One thread.
 */
final class Plugins {

    /**
     * A plugin that was declared.
     *
     * @param typed what its parameters were read into, for the types that the configuration itself reads; null for others
     */
    record Declared(PluginSpec spec, PluginType type, Location at, @Nullable Object typed) {
    }

    private static final List<String> INJECTED = List.of(BandConfig.FCFS, BandConfig.GLOBAL_STRICT, PluginType.STATIC_LIMIT);

    private final Map<String, Declared> byName = new TreeMap<>();
    /** Names whose declaration was refused: a reference to one is no second problem. */
    private final Map<String, Location> refused = new TreeMap<>();

    /** Takes a declaration; a name that is taken is an error naming both places. */
    void declare(Field field, Declared plugin) {
        Location first = placeOf(plugin.spec().name());
        if (first != null) {
            field.error("plugin " + plugin.spec().name() + " declared twice (first at " + first + ')');
            return;
        }
        PluginType taken = INJECTED.contains(plugin.spec().name()) ? PluginType.of(plugin.spec().name()) : null;
        if (taken != null && taken.role() != plugin.type().role()) {
            field.error("plugin " + plugin.spec().name() + ": is " + plugin.type().role().words() + " (expected: " + taken.role().words()
                    + ", since the default one has that name)");
        }
        byName.put(plugin.spec().name(), plugin);
    }

    /** Remembers a name whose declaration is wrong. */
    void refuse(String name, Location at) {
        refused.putIfAbsent(name, at);
    }

    private @Nullable Location placeOf(String name) {
        Declared plugin = byName.get(name);
        return plugin == null ? refused.get(name) : plugin.at();
    }

    /** Adds what llm-d always adds where no plugin has that name. */
    void inject(Location at) {
        INJECTED.forEach(type -> inject(type, at));
    }

    /** Adds the detector that is the default one, where no plugin has its name: llm-d does so only if the default detector is that one. */
    void injectDefaultDetector(Location at) {
        inject(PluginType.UTILIZATION, at);
    }

    private void inject(String type, Location at) {
        PluginType known = PluginType.of(type);
        if (placeOf(type) == null && known != null) {
            byName.put(type, new Declared(PluginSpec.plain(type), known, at, null));
        }
    }

    /**
     * The plugin that a field names, or null after saying what is wrong with it.
     *
     * @param fatal whether that is an error; a warning otherwise
     */
    @Nullable Declared resolve(Field reference, String name, Role role, boolean fatal) {
        if (refused.containsKey(name) && !byName.containsKey(name)) {
            return null;
        }
        Declared plugin = byName.get(name);
        if (plugin == null) {
            reference.problem(fatal, Text.shown(name) + ": no such plugin " + hint(name, role));
            return null;
        }
        if (plugin.type().role() != role) {
            reference.problem(fatal, name + ": is " + plugin.type().role().words() + " (expected: " + role.words() + ')');
            return null;
        }
        return plugin;
    }

    private String hint(String name, Role role) {
        PluginType type = PluginType.of(name);
        if (type != null && type.role() == role) {
            return type.support() == Support.NOT_YET ? "(not supported yet)" : "(expected: an entry in plugins, type: " + name + ')';
        }
        List<String> declared = new ArrayList<>(byName.values().stream().filter(p -> p.type().role() == role).map(p -> p.spec().name())
                .toList());
        if (role == Role.DETECTOR && placeOf(PluginType.UTILIZATION) == null) {
            declared.add(PluginType.UTILIZATION);
        }
        String near = Text.nearest(name, declared);
        String nearType = near != null ? null : Text.nearest(name, PluginType.all().stream()
                .filter(t -> t.role() == role && t.support() == Support.BUILT).map(PluginType::name).toList());
        if (nearType != null) {
            return "(did you mean " + nearType + "? It needs an entry in plugins)";
        }
        return declared.isEmpty() ? "(expected: an entry in plugins that is " + role.words() + ')' : Text.hint(name, declared);
    }

    /** Whether a name is declared at all, whatever its role; says so when it is not. */
    void require(Field reference, String name) {
        if (placeOf(name) == null) {
            String near = Text.nearest(name, byName.keySet());
            String hint = near == null ? "(expected: a name in plugins)" : "(did you mean " + near + "?)";
            reference.error(Text.shown(name) + ": no such plugin " + hint);
        }
    }

    /** What the parameters of the plugin of that name were read into, or null. */
    @Nullable Object typed(String name) {
        Declared plugin = byName.get(name);
        return plugin == null ? null : plugin.typed();
    }

    /** Those declared with that type, in the document's order. */
    List<Declared> ofType(String type) {
        return byName.values().stream().filter(plugin -> plugin.spec().type().equals(type))
                .sorted(Comparator.comparing(Declared::at, Comparator.comparingInt(Location::line).thenComparingInt(Location::column)))
                .toList();
    }

    /** Those that are built. */
    Map<String, PluginSpec> usable() {
        Map<String, PluginSpec> usable = new LinkedHashMap<>();
        byName.values().stream().filter(plugin -> plugin.type().support() == Support.BUILT)
                .forEach(plugin -> usable.put(plugin.spec().name(), plugin.spec()));
        return usable;
    }
}
