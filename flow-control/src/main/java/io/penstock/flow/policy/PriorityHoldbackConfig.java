package io.penstock.flow.policy;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.Map;
import java.util.SortedSet;

/**
 * The parameters of {@code priority-holdback-policy} (spec/flow-control section 1.5). Immutable.
 *
 * @param minCeiling of the lowest band, 0 or more and below {@code maxCeiling}
 * @param maxCeiling of the highest band, above 0, at most 1
 * @param domain what the bands in between are spread by
 */
record PriorityHoldbackConfig(double minCeiling, double maxCeiling, Domain domain) {

    /** What a band's place between the highest and the lowest is measured in. */
    enum Domain {
        /** The number of bands above it. */
        RANK,
        /** The distance of its priority. */
        VALUE
    }

    static final String TYPE = "priority-holdback-policy";
    static final SortedSet<String> PARAMETERS = Policies.sorted("minCeiling", "maxCeiling", "shape", "domain");

    PriorityHoldbackConfig {
        Problems problems = new Problems();
        boolean min = minCeiling >= 0 && minCeiling < 1;
        boolean max = maxCeiling > 0 && maxCeiling <= 1;
        if (!min) {
            problems.add("minCeiling", minCeiling, "0 or more, below 1");
        }
        if (!max) {
            problems.add("maxCeiling", maxCeiling, "more than 0, at most 1");
        }
        if (min && max && minCeiling >= maxCeiling) {
            problems.add("minCeiling", minCeiling, "below maxCeiling, " + maxCeiling);
        }
        problems.throwIfAny();
    }

    static PriorityHoldbackConfig from(Map<String, ?> values) {
        Parameters parameters = new Parameters(values, PARAMETERS);
        parameters.require("minCeiling", "a number, 0 or more, below 1");
        double min = parameters.decimal("minCeiling", 0);
        double max = parameters.decimal("maxCeiling", 1);
        parameters.choice("shape", Map.of("linear", true), true);
        Domain domain = parameters.choice("domain", Domain.class, Domain.RANK);
        return parameters.build(() -> new PriorityHoldbackConfig(min, max, domain));
    }
}
