package io.penstock.flow.policy;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;

/**
 * The parameters of {@code weighted-band-policy}. Immutable.
 *
 * @param weights shares by priority, {@value FairShare#LEAST_WEIGHT} to {@value FairShare#MOST_WEIGHT}
 * @param defaultWeight the share of every other band, so that none starves for not being listed
 */
record WeightedBandConfig(Map<Integer, Double> weights, double defaultWeight) {

    static final String TYPE = "weighted-band-policy";
    static final SortedSet<String> PARAMETERS = Policies.sorted("weights", "defaultWeight");

    WeightedBandConfig {
        weights = Map.copyOf(weights);
    }

    static WeightedBandConfig from(Map<String, ?> values) {
        Parameters parameters = new Parameters(values, PARAMETERS);
        Map<String, Double> weights = parameters.decimals("weights");
        double otherwise = parameters.decimal("defaultWeight", 1);
        return parameters.build(() -> checked(weights, otherwise));
    }

    private static WeightedBandConfig checked(Map<String, Double> weights, double otherwise) {
        Problems problems = new Problems();
        Map<Integer, Double> byPriority = new LinkedHashMap<>();
        weights.forEach((key, weight) -> {
            try {
                if (byPriority.put(Integer.valueOf(key), weight) != null) {
                    problems.add("weights." + key, weight, "each priority once");
                }
            } catch (NumberFormatException e) {
                problems.add("weights." + key, weight, "a priority, a whole number of 32 bits, as the key");
            }
        });
        problems.within("weights", weights, FairShare.LEAST_WEIGHT, FairShare.MOST_WEIGHT);
        problems.within("defaultWeight", otherwise, FairShare.LEAST_WEIGHT, FairShare.MOST_WEIGHT);
        problems.throwIfAny();
        return new WeightedBandConfig(byPriority, otherwise);
    }

    double weight(int priority) {
        Double weight = weights.get(priority);
        return weight == null ? defaultWeight : weight;
    }
}
