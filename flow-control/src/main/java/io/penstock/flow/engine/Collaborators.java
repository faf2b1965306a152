package io.penstock.flow.engine;

import io.penstock.flow.BandSelectionPolicy;
import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.Placement;
import io.penstock.flow.PoolView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.policy.Policies;
import io.penstock.flow.policy.StaticUsageLimitPolicy;
import io.penstock.flow.policy.StrictBandPolicy;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the engine works with and does not own. Immutable; the pool, the clock and the events are used from any thread, everything else by
 * the drainer alone.
 *
 * @param defaultDetector for stages without a detector of their own, and for the whole pool
 * @param stageDetectors a stage's own detector (seed 2)
 * @param usageLimit sets each band's ceiling, once per decision
 * @param bandSelection ranks the bands, once per decision
 * @param fairness a band's {@code fairnessPolicyRef} to a new policy; throws IllegalArgumentException for an unknown one
 * @param ordering a band's {@code orderingPolicyRef} to a policy; throws IllegalArgumentException for an unknown one
 * @param placement picks and charges an endpoint
 * @param pool the present membership; cheap, never null
 * @param nanoClock monotonic nanoseconds; may be negative and may overflow
 * @param events where metrics are told
 * @param hooks for tests
 */
public record Collaborators(SaturationDetector defaultDetector, Map<Stage, SaturationDetector> stageDetectors, UsageLimitPolicy usageLimit,
        BandSelectionPolicy bandSelection, Function<String, FairnessPolicy> fairness, Function<String, OrderingPolicy> ordering,
        Placement placement, Supplier<PoolView> pool, LongSupplier nanoClock, FlowEvents events, FlowHooks hooks) {

    public Collaborators {
        stageDetectors = Map.copyOf(stageDetectors);
    }

    /** One detector for everything, ceilings of 1.0, bands by priority, policies by their type, no events. */
    public static Collaborators of(SaturationDetector detector, Placement placement, Supplier<PoolView> pool, LongSupplier nanoClock) {
        return new Collaborators(detector, Map.of(), new StaticUsageLimitPolicy(StaticUsageLimitPolicy.DEFAULT_THRESHOLD),
                StrictBandPolicy.INSTANCE, Policies::fairness, Policies::ordering, placement, pool, nanoClock, FlowEvents.NONE,
                FlowHooks.NONE);
    }

    public Collaborators withStages(Map<Stage, SaturationDetector> detectors) {
        return new Collaborators(defaultDetector, detectors, usageLimit, bandSelection, fairness, ordering, placement, pool, nanoClock,
                events, hooks);
    }

    public Collaborators withUsageLimit(UsageLimitPolicy policy) {
        return new Collaborators(defaultDetector, stageDetectors, policy, bandSelection, fairness, ordering, placement, pool, nanoClock,
                events, hooks);
    }

    public Collaborators withBandSelection(BandSelectionPolicy policy) {
        return new Collaborators(defaultDetector, stageDetectors, usageLimit, policy, fairness, ordering, placement, pool, nanoClock,
                events, hooks);
    }

    public Collaborators withPolicies(Function<String, FairnessPolicy> flows, Function<String, OrderingPolicy> requests) {
        return new Collaborators(defaultDetector, stageDetectors, usageLimit, bandSelection, flows, requests, placement, pool, nanoClock,
                events, hooks);
    }

    public Collaborators withPlacement(Placement other) {
        return new Collaborators(defaultDetector, stageDetectors, usageLimit, bandSelection, fairness, ordering, other, pool, nanoClock,
                events, hooks);
    }

    public Collaborators withEvents(FlowEvents other) {
        return new Collaborators(defaultDetector, stageDetectors, usageLimit, bandSelection, fairness, ordering, placement, pool,
                nanoClock, other, hooks);
    }

    public Collaborators withHooks(FlowHooks other) {
        return new Collaborators(defaultDetector, stageDetectors, usageLimit, bandSelection, fairness, ordering, placement, pool,
                nanoClock, events, other);
    }
}
