package io.penstock.flow.policy;

import io.penstock.flow.BandSelectionPolicy;
import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The plugin types of policies: which there are, their parameters, and their making. {@link PolicySet} finds them by plugin name. Any
 * thread.
 */
public final class Policies {

    /** Every fairness type that can be made. */
    public static final List<String> FAIRNESS = List.of(BandConfig.GLOBAL_STRICT, RoundRobinFairnessPolicy.TYPE, ProgramAwareConfig.TYPE,
            WeightedFairnessConfig.TYPE);
    /** Every ordering type that can be made. */
    public static final List<String> ORDERING = List.of(BandConfig.FCFS, EdfOrderingPolicy.TYPE, SloDeadlineOrderingPolicy.TYPE);
    /** Every usage limit type that can be made. */
    public static final List<String> USAGE_LIMIT = List.of(StaticUsageLimitPolicy.TYPE, PriorityHoldbackConfig.TYPE,
            SoftReflectiveCeilingPolicy.TYPE);
    /** Every band selection type that can be made. */
    public static final List<String> BAND_SELECTION = List.of(StarvationBoundConfig.TYPE, WeightedBandConfig.TYPE);

    private static final List<String> ALL = Stream.of(FAIRNESS, ORDERING, USAGE_LIMIT, BAND_SELECTION).flatMap(List::stream).toList();

    private Policies() {
    }

    /** Whether a plugin type is a policy of this package. */
    public static boolean isPolicy(String type) {
        return ALL.contains(type);
    }

    /** The parameters that a type takes; empty for one that takes none. */
    public static SortedSet<String> parameters(String type) {
        return switch (type) {
            case ProgramAwareConfig.TYPE -> ProgramAwareConfig.PARAMETERS;
            case WeightedFairnessConfig.TYPE -> WeightedFairnessConfig.PARAMETERS;
            case StaticUsageLimitPolicy.TYPE -> StaticUsageLimitPolicy.PARAMETERS;
            case PriorityHoldbackConfig.TYPE -> PriorityHoldbackConfig.PARAMETERS;
            case StarvationBoundConfig.TYPE -> StarvationBoundConfig.PARAMETERS;
            case WeightedBandConfig.TYPE -> WeightedBandConfig.PARAMETERS;
            default -> Collections.emptySortedSet();
        };
    }

    /** Whether parameters are refused by a type that takes none; the others of that kind ignore them, as in llm-d. */
    private static boolean refusesParameters(String type) {
        return type.equals(SoftReflectiveCeilingPolicy.TYPE);
    }

    /**
     * Checks what {@link PolicySet} would be given.
     *
     * @throws PluginConfigException with all problems, when the type or a parameter is unknown, of the wrong type or out of range
     */
    public static void check(String type, Map<String, ?> parameters) {
        switch (type) {
            case ProgramAwareConfig.TYPE -> ProgramAwareConfig.from(parameters);
            case WeightedFairnessConfig.TYPE -> WeightedFairnessConfig.from(parameters);
            case StaticUsageLimitPolicy.TYPE -> StaticUsageLimitPolicy.from(parameters);
            case PriorityHoldbackConfig.TYPE -> PriorityHoldbackConfig.from(parameters);
            case StarvationBoundConfig.TYPE -> StarvationBoundConfig.from(parameters);
            case WeightedBandConfig.TYPE -> WeightedBandConfig.from(parameters);
            default -> checkWithout(type, parameters);
        }
    }

    private static void checkWithout(String type, Map<String, ?> parameters) {
        if (!isPolicy(type)) {
            String expected = " (expected: one of " + String.join(", ", ALL) + ')';
            throw new PluginConfigException(List.of(new Problem("", "type: " + type + expected)));
        }
        if (refusesParameters(type)) {
            new Parameters(parameters, Collections.emptySortedSet()).build(() -> type);
        }
    }

    /** What is allowed but probably not meant; empty where there is nothing to say, or where {@link #check} refuses. */
    public static List<Problem> notices(String type, Map<String, ?> parameters) {
        if (type.equals(StaticUsageLimitPolicy.TYPE) && parameters.get("threshold") instanceof Number high && high.doubleValue() > 1) {
            return List.of(new Problem("threshold", "threshold: " + high
                    + " lets bands dispatch while the pool is past its set point (expected: at most 1)"));
        }
        boolean ignored = isPolicy(type) && parameters(type).isEmpty() && !refusesParameters(type) && !parameters.isEmpty();
        return ignored ? List.of(new Problem("", type + " takes no parameters, ignored")) : List.of();
    }

    /**
     * A new fairness policy for one band, with the parameters that it has by default.
     *
     * @throws IllegalArgumentException for an unknown type, and for the program-aware one, which only a {@link PolicySet} makes
     */
    public static FairnessPolicy fairness(String type) {
        return fairness(type, Map.of());
    }

    static FairnessPolicy fairness(String type, Map<String, ?> parameters) {
        return switch (type) {
            case BandConfig.GLOBAL_STRICT -> new GlobalStrictFairnessPolicy();
            case RoundRobinFairnessPolicy.TYPE -> new RoundRobinFairnessPolicy();
            case WeightedFairnessConfig.TYPE -> new WeightedFairnessPolicy(WeightedFairnessConfig.from(parameters));
            default -> throw unknown("fairnessPolicyRef", type, FAIRNESS);
        };
    }

    /** The ordering policy of that type; shared, since it has no state. */
    public static OrderingPolicy ordering(String type) {
        return switch (type) {
            case BandConfig.FCFS -> FcfsOrderingPolicy.INSTANCE;
            case EdfOrderingPolicy.TYPE -> EdfOrderingPolicy.INSTANCE;
            case SloDeadlineOrderingPolicy.TYPE -> SloDeadlineOrderingPolicy.INSTANCE;
            default -> throw unknown("orderingPolicyRef", type, ORDERING);
        };
    }

    static UsageLimitPolicy usageLimit(String type, Map<String, ?> parameters) {
        return switch (type) {
            case StaticUsageLimitPolicy.TYPE -> StaticUsageLimitPolicy.from(parameters);
            case PriorityHoldbackConfig.TYPE -> new PriorityHoldbackPolicy(PriorityHoldbackConfig.from(parameters));
            case SoftReflectiveCeilingPolicy.TYPE -> new SoftReflectiveCeilingPolicy();
            default -> throw unknown("usageLimitPolicyPluginRef", type, USAGE_LIMIT);
        };
    }

    static BandSelectionPolicy bandSelection(String type, Map<String, ?> parameters) {
        return switch (type) {
            case StarvationBoundConfig.TYPE -> new StarvationBoundPolicy(StarvationBoundConfig.from(parameters));
            case WeightedBandConfig.TYPE -> new WeightedBandPolicy(WeightedBandConfig.from(parameters));
            default -> throw unknown("bandSelectionPolicyPluginRef", type, BAND_SELECTION);
        };
    }

    static SortedSet<String> sorted(String... names) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(List.of(names)));
    }

    private static IllegalArgumentException unknown(String field, String type, List<String> known) {
        return new IllegalArgumentException(field + ": " + type + " (expected: one of " + String.join(", ", known) + ')');
    }
}
