package io.penstock.flow.policy;

import java.util.Map;

/**
 * A policy as the configuration declares it. Immutable.
 *
 * @param name what references use; unique
 * @param type one of those that {@link Policies} knows
 * @param parameters YAML values: String, Long, Double, Boolean, List, Map
 */
public record PolicySpec(String name, String type, Map<String, Object> parameters) {

    public PolicySpec {
        parameters = Map.copyOf(parameters);
    }

    /** Without parameters, named as its type. */
    static PolicySpec plain(String type) {
        return new PolicySpec(type, type, Map.of());
    }
}
