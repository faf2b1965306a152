package io.penstock.flow.model;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.PolicySpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Makes the engine's policies as a script's setup names them. */
final class Plugins {

    private static final PolicySet BASE = PolicySet.of(List.of(plain("round-robin-fairness-policy"), plain("edf-ordering-policy"),
            plain("slo-deadline-ordering-policy"), weighted("requests"), weighted("bytes"), weighted("tokens")), () -> 0);
    // The same objects each time, so that a reload knows what has not changed.
    private static final Function<String, FairnessPolicy> FAIRNESS = BASE::fairness;
    private static final Function<String, OrderingPolicy> ORDERING = BASE::ordering;

    private Plugins() {
    }

    private static PolicySpec plain(String type) {
        return new PolicySpec(type, type, Map.of());
    }

    private static PolicySpec weighted(String cost) {
        return new PolicySpec("by-" + cost, "weighted-fairness-policy", Map.of("cost", cost, "weights", ModelFairness.WEIGHTS));
    }

    static Collaborators of(Setup setup, Collaborators with) {
        PolicySet own = PolicySet.of(List.of(ceilings(setup.ceilings()), selection(setup.selection())), () -> 0);
        return with.withPolicies(FAIRNESS, ORDERING).withUsageLimit(own.usageLimit("ceilings"))
                .withBandSelection(own.bandSelection(setup.selection().type().equals("strict") ? null : "selection"));
    }

    private static PolicySpec ceilings(Setup.Ceilings ceilings) {
        Map<String, Object> parameters = ceilings.type().equals("static-usage-limit-policy")
                ? Map.of("threshold", ceilings.lowest())
                : Map.of("minCeiling", ceilings.lowest(), "domain", ceilings.byValue() ? "value" : "rank");
        return new PolicySpec("ceilings", ceilings.type(), parameters);
    }

    private static PolicySpec selection(Setup.Selection selection) {
        return switch (selection.type()) {
            case "starvation-bound-policy" -> new PolicySpec("selection", selection.type(),
                    Map.of("maxWait", selection.maxWaitMillis() + "ms", "share", (long) selection.share()));
            case "weighted-band-policy" -> new PolicySpec("selection", selection.type(), Map.of("weights", weights()));
            default -> plain("edf-ordering-policy");
        };
    }

    private static Map<String, Double> weights() {
        Map<String, Double> weights = new TreeMap<>();
        ModelSelection.WEIGHTS.forEach((priority, weight) -> weights.put(String.valueOf(priority), weight));
        return weights;
    }
}
