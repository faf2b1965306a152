package io.penstock.flow.policy;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.Map;
import java.util.SortedSet;

/**
 * The parameters of {@code weighted-fairness-policy}. Immutable.
 *
 * @param cost what a request is charged
 * @param weights shares by fairness id, {@value FairShare#LEAST_WEIGHT} to {@value FairShare#MOST_WEIGHT}
 * @param defaultWeight the share of every other fairness id
 */
record WeightedFairnessConfig(Cost cost, Map<String, Double> weights, double defaultWeight) {

    /** What is shared out. */
    enum Cost {
        REQUESTS,
        BYTES,
        TOKENS
    }

    static final String TYPE = "weighted-fairness-policy";
    static final SortedSet<String> PARAMETERS = Policies.sorted("cost", "weights", "defaultWeight");

    WeightedFairnessConfig {
        weights = Map.copyOf(weights);
        Problems problems = new Problems();
        problems.within("weights", weights, FairShare.LEAST_WEIGHT, FairShare.MOST_WEIGHT);
        problems.within("defaultWeight", defaultWeight, FairShare.LEAST_WEIGHT, FairShare.MOST_WEIGHT);
        problems.throwIfAny();
    }

    static WeightedFairnessConfig from(Map<String, ?> values) {
        Parameters parameters = new Parameters(values, PARAMETERS);
        Cost cost = parameters.choice("cost", Cost.class, Cost.REQUESTS);
        Map<String, Double> weights = parameters.decimals("weights");
        double otherwise = parameters.decimal("defaultWeight", 1);
        return parameters.build(() -> new WeightedFairnessConfig(cost, weights, otherwise));
    }

    double weight(String fairnessId) {
        Double weight = weights.get(fairnessId);
        return weight == null ? defaultWeight : weight;
    }
}
