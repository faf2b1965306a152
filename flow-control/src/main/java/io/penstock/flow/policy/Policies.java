package io.penstock.flow.policy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.config.BandConfig;
import java.util.List;

/** Makes policies from their plugin types. Resolving a plugin's name to its type is the configuration's work. Any thread. */
public final class Policies {

    /** Every fairness type that can be made. */
    public static final List<String> FAIRNESS = List.of(BandConfig.GLOBAL_STRICT);
    /** Every ordering type that can be made. */
    public static final List<String> ORDERING = List.of(BandConfig.FCFS);
    /** Every usage-limit type that can be made. */
    public static final List<String> USAGE_LIMIT = List.of(StaticUsageLimitPolicy.TYPE);

    private Policies() {
    }

    /** A new fairness policy for one band. */
    public static FairnessPolicy fairness(String type) {
        if (BandConfig.GLOBAL_STRICT.equals(type)) {
            return new GlobalStrictFairnessPolicy();
        }
        throw unknown("fairnessPolicyRef", type, FAIRNESS);
    }

    /** The ordering policy of that type; shared, since it has no state. */
    public static OrderingPolicy ordering(String type) {
        if (BandConfig.FCFS.equals(type)) {
            return FcfsOrderingPolicy.INSTANCE;
        }
        throw unknown("orderingPolicyRef", type, ORDERING);
    }

    /** A usage-limit policy with its default parameters. */
    public static UsageLimitPolicy usageLimit(String type) {
        if (StaticUsageLimitPolicy.TYPE.equals(type)) {
            return new StaticUsageLimitPolicy(StaticUsageLimitPolicy.DEFAULT_THRESHOLD);
        }
        throw unknown("usageLimitPolicyPluginRef", type, USAGE_LIMIT);
    }

    private static IllegalArgumentException unknown(String field, String type, List<String> known) {
        return new IllegalArgumentException(field + ": " + type + " (expected: one of " + String.join(", ", known) + ')');
    }
}
