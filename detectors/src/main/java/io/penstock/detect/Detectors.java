package io.penstock.detect;

import io.penstock.flow.SaturationDetector;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ObjIntConsumer;

/**
 * Makes saturation detectors from a plugin's type, name and parameters (spec/flow-control section 5). Parameters are YAML scalars:
 * {@link String}, {@link Integer} or {@link Long}, {@link Double}, {@link Boolean}; durations are Go duration strings. Any thread.
 */
public final class Detectors {

    /** The detector that is used where the configuration names none. */
    public static final String DEFAULT_TYPE = UtilizationDetector.TYPE;

    private static final SortedSet<String> TYPES = sorted(ConcurrencyDetector.TYPE, UtilizationDetector.TYPE);
    private static final ObjIntConsumer<String> NOBODY = (detector, stale) -> {
    };

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
            case UtilizationDetector.TYPE -> UtilizationConfig.PARAMETERS;
            default -> Collections.emptySortedSet();
        };
    }

    /**
     * Makes a detector whose stale endpoints nobody counts.
     *
     * @throws PluginConfigException with all problems, when the type or a parameter is unknown, of the wrong type or out of range
     */
    public static SaturationDetector create(String type, String name, Map<String, ?> parameters) {
        return create(type, name, parameters, NOBODY);
    }

    /**
     * Makes a detector.
     *
     * @param staleEndpoints told on every call of a utilization detector, on the caller's thread: the detector's name and how many
     *         endpoints had no fresh sample; it must be quick and not throw
     * @throws PluginConfigException with all problems, when the type or a parameter is unknown, of the wrong type or out of range
     */
    public static SaturationDetector create(String type, String name, Map<String, ?> parameters, ObjIntConsumer<String> staleEndpoints) {
        return switch (type) {
            case ConcurrencyDetector.TYPE -> new ConcurrencyDetector(name, ConcurrencyConfig.from(parameters));
            case UtilizationDetector.TYPE -> new UtilizationDetector(name, UtilizationConfig.from(parameters), staleEndpoints);
            default -> throw new PluginConfigException(
                    List.of(new Problem("", "type: " + type + " (expected: " + String.join(" or ", TYPES) + ')')));
        };
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
