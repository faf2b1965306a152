package io.penstock.detect;

import io.penstock.flow.SaturationDetector;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Makes saturation detectors from a plugin's type, name and parameters (spec/flow-control section 5). Parameters are YAML values:
 * {@link String}, {@link Integer} or {@link Long}, {@link Double}, {@link Boolean}, {@link List}, {@link Map}; durations are Go duration
 * strings. Any thread.
 */
public final class Detectors {

    /** The detector that is used where the configuration names none. */
    public static final String DEFAULT_TYPE = UtilizationDetector.TYPE;

    private static final SortedSet<String> TYPES = sorted(ConcurrencyDetector.TYPE, MaxSaturationDetector.TYPE,
            UtilizationDetector.TYPE);

    private Detectors() {
    }

    /** Every type there is. */
    public static SortedSet<String> types() {
        return TYPES;
    }

    /** Whether a plugin type is a detector. */
    public static boolean isDetector(String type) {
        return TYPES.contains(type);
    }

    /** The parameters that a type takes; empty for an unknown type. */
    public static SortedSet<String> parameters(String type) {
        return switch (type) {
            case ConcurrencyDetector.TYPE -> ConcurrencyConfig.PARAMETERS;
            case MaxSaturationDetector.TYPE -> MaxSaturationConfig.PARAMETERS;
            case UtilizationDetector.TYPE -> UtilizationConfig.PARAMETERS;
            default -> Collections.emptySortedSet();
        };
    }

    /**
     * Checks the parameters without making a detector. What is wrong inside of a list or a map is named by its path.
     *
     * @throws PluginConfigException with all problems, when the type or a parameter is unknown, of the wrong type or out of range
     */
    public static void check(String type, String name, Map<String, ?> parameters) {
        switch (type) {
            case ConcurrencyDetector.TYPE -> ConcurrencyConfig.from(parameters);
            case MaxSaturationDetector.TYPE -> MaxSaturationConfig.from(name, parameters);
            case UtilizationDetector.TYPE -> UtilizationConfig.from(parameters);
            default -> throw unknown(type);
        }
    }

    /** Names of the detectors that this one asks, of parameters that were checked; empty for most types. They must be made before it. */
    public static List<String> children(String type, String name, Map<String, ?> parameters) {
        return type.equals(MaxSaturationDetector.TYPE) ? MaxSaturationConfig.from(name, parameters).detectors() : List.of();
    }

    /**
     * Makes a detector that asks no other one and whose news nobody hears.
     *
     * @throws PluginConfigException with all problems, when the type or a parameter is unknown, of the wrong type or out of range
     */
    public static SaturationDetector create(String type, String name, Map<String, ?> parameters) {
        return create(type, name, parameters, child -> {
            throw new IllegalArgumentException("detectors: " + child + " (expected: none)");
        }, DetectorEvents.NONE);
    }

    /**
     * Makes a detector.
     *
     * @param others the detector of a name that {@link #children} gave
     * @param events hears what the detector sees
     * @throws PluginConfigException with all problems, when the type or a parameter is unknown, of the wrong type or out of range
     */
    public static SaturationDetector create(String type, String name, Map<String, ?> parameters,
            Function<String, SaturationDetector> others, DetectorEvents events) {
        return switch (type) {
            case ConcurrencyDetector.TYPE -> new ConcurrencyDetector(name, ConcurrencyConfig.from(parameters));
            case MaxSaturationDetector.TYPE -> max(name, MaxSaturationConfig.from(name, parameters), others, events);
            case UtilizationDetector.TYPE -> new UtilizationDetector(name, UtilizationConfig.from(parameters), events);
            default -> throw unknown(type);
        };
    }

    private static SaturationDetector max(String name, MaxSaturationConfig config, Function<String, SaturationDetector> others,
            DetectorEvents events) {
        List<MaxSaturationDetector.Child> children = config.detectors().stream()
                .map(child -> new MaxSaturationDetector.Child(others.apply(child), config.stagesOf(child))).toList();
        return new MaxSaturationDetector(name, children, events);
    }

    private static PluginConfigException unknown(String type) {
        return new PluginConfigException(List.of(new Problem("", "type: " + type + " (expected: " + String.join(", ", TYPES) + ')')));
    }

    /** What is allowed but probably not meant; empty where there is nothing to say, or where {@link #create} refuses. */
    public static List<Problem> notices(String type, Map<String, ?> parameters) {
        boolean large = isDetector(type) && parameters.get("headroom") instanceof Number headroom && headroom.doubleValue() > 1.0;
        return large ? List.of(new Problem("headroom", "headroom: " + parameters.get("headroom") + " (expected: 0 to 1, a fraction)"))
                : List.of();
    }

    static SortedSet<String> sorted(String... names) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(List.of(names)));
    }
}
