package io.penstock.flow.policy;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;

/**
 * The parameters of {@code program-aware-fairness} (spec/flow-control section 4.6). Immutable.
 *
 * @param weightService how much little service counts, 0 or more
 * @param weightHeadWait how much a long wait counts, 0 or more
 * @param halfLifeSeconds in which service counts for half, 0 for never
 * @param evictionTtlSeconds without a request, after which a program is forgotten; 0 for never
 * @param evictionSweepSeconds between two looks for such programs, more than 0
 */
record ProgramAwareConfig(double weightService, double weightHeadWait, double halfLifeSeconds, double evictionTtlSeconds,
        double evictionSweepSeconds) {

    static final String TYPE = "program-aware-fairness";
    static final SortedSet<String> PARAMETERS = Policies.sorted("strategy", "lasWeightService", "lasWeightHeadWait", "lasHalfLifeSeconds",
            "evictionTtlSeconds", "evictionSweepSeconds");

    private static final double NANOS = 1e9;

    ProgramAwareConfig {
        Problems problems = new Problems();
        problems.notNegative("lasWeightService", weightService);
        problems.notNegative("lasWeightHeadWait", weightHeadWait);
        problems.notNegative("lasHalfLifeSeconds", halfLifeSeconds);
        problems.notNegative("evictionTtlSeconds", evictionTtlSeconds);
        if (!(evictionSweepSeconds > 0 && evictionSweepSeconds < Double.POSITIVE_INFINITY)) {
            problems.add("evictionSweepSeconds", evictionSweepSeconds, "more than 0");
        }
        problems.throwIfAny();
    }

    static ProgramAwareConfig from(Map<String, ?> values) {
        Parameters parameters = new Parameters(values, PARAMETERS);
        parameters.choice("strategy", strategies(), true);
        double service = parameters.decimal("lasWeightService", 0.8);
        double wait = parameters.decimal("lasWeightHeadWait", 0.2);
        double halfLife = parameters.decimal("lasHalfLifeSeconds", 60);
        double ttl = parameters.decimal("evictionTtlSeconds", 3600);
        double sweep = parameters.decimal("evictionSweepSeconds", 300);
        return parameters.build(() -> new ProgramAwareConfig(service, wait, halfLife, ttl, sweep));
    }

    private static Map<String, Boolean> strategies() {
        Map<String, Boolean> words = new LinkedHashMap<>();
        words.put("las", true);
        words.put("", true);
        return words;
    }

    /** How fast service decays: its natural logarithm falls by this in a nanosecond. */
    double decayPerNano() {
        return halfLifeSeconds == 0 ? 0 : Math.log(2) / (halfLifeSeconds * NANOS);
    }

    long evictionTtlNanos() {
        return nanos(evictionTtlSeconds);
    }

    long sweepNanos() {
        return Math.max(1, nanos(evictionSweepSeconds));
    }

    /** At most half of what a clock can tell apart. */
    private static long nanos(double seconds) {
        return (long) Math.min(seconds * NANOS, Long.MAX_VALUE >> 1);
    }
}
