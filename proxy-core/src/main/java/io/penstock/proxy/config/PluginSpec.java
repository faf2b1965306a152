package io.penstock.proxy.config;

import java.util.Map;

/**
 * One plugin as declared, or as added because something needs it. Immutable.
 *
 * @param name unique; the type where none was given
 * @param type a type that is built
 * @param parameters YAML values: String, Long, Double, Boolean, List, Map; checked by now
 */
public record PluginSpec(String name, String type, Map<String, Object> parameters) {

    public PluginSpec {
        parameters = Map.copyOf(parameters);
    }

    /** A plugin without parameters, named as its type. */
    static PluginSpec plain(String type) {
        return new PluginSpec(type, type, Map.of());
    }
}
