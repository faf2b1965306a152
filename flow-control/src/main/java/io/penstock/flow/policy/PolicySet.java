package io.penstock.flow.policy;

import io.penstock.flow.BandSelectionPolicy;
import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowKey;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.UsageSink;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.plugin.PluginConfigException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The policies of one configuration by plugin name. The three that llm-d adds by itself are here without being declared (spec/flow-control
 * section 1.3). Immutable but for what program-aware policies remember; any thread.
 */
public final class PolicySet {

    private static final List<String> INJECTED = List.of(BandConfig.FCFS, BandConfig.GLOBAL_STRICT, StaticUsageLimitPolicy.TYPE);

    private final Map<String, PolicySpec> specs = new LinkedHashMap<>();
    /** Of each program-aware plugin, what it knows of its programs. */
    private final Map<String, Programs> programs = new LinkedHashMap<>();
    private final LongSupplier nanoClock;
    private final UsageSink usage;

    private PolicySet(Collection<PolicySpec> declared, LongSupplier nanoClock, @Nullable PolicySet before) {
        this.nanoClock = nanoClock;
        INJECTED.forEach(type -> specs.put(type, PolicySpec.plain(type)));
        for (PolicySpec spec : declared) {
            Policies.check(spec.type(), spec.parameters());
            specs.put(spec.name(), spec);
            if (spec.type().equals(ProgramAwareConfig.TYPE)) {
                programs.put(spec.name(), remembered(spec, before));
            }
        }
        this.usage = sink(List.copyOf(programs.values()));
    }

    /**
     * @param declared policies of every role, each name once
     * @param nanoClock the controller's
     * @throws PluginConfigException if a type or a parameter is wrong
     */
    public static PolicySet of(Collection<PolicySpec> declared, LongSupplier nanoClock) {
        return new PolicySet(declared, nanoClock, null);
    }

    /** Those of a changed configuration. A program-aware plugin that is declared as before knows what it knew. */
    public PolicySet reloaded(Collection<PolicySpec> declared) {
        return new PolicySet(declared, nanoClock, this);
    }

    private Programs remembered(PolicySpec spec, @Nullable PolicySet before) {
        Programs known = before == null || !spec.equals(before.specs.get(spec.name())) ? null : before.programs.get(spec.name());
        return known == null ? new Programs(ProgramAwareConfig.from(spec.parameters()), nanoClock) : known;
    }

    private static UsageSink sink(List<Programs> all) {
        return switch (all.size()) {
            case 0 -> UsageSink.NONE;
            case 1 -> all.get(0);
            default -> (FlowKey flow, long prompt, long completion) -> {
                for (int i = 0; i < all.size(); i++) {
                    all.get(i).finished(flow, prompt, completion);
                }
            };
        };
    }

    /**
     * A new policy for one band; what a program-aware plugin remembers is common to all bands that name it.
     *
     * @throws IllegalArgumentException for a name that is no fairness policy
     */
    public FairnessPolicy fairness(String name) {
        PolicySpec spec = find("fairnessPolicyRef", name, Policies.FAIRNESS);
        Programs shared = programs.get(name);
        return shared == null ? Policies.fairness(spec.type(), spec.parameters()) : new ProgramAwareFairnessPolicy(shared);
    }

    /** @throws IllegalArgumentException for a name that is no ordering policy */
    public OrderingPolicy ordering(String name) {
        return Policies.ordering(find("orderingPolicyRef", name, Policies.ORDERING).type());
    }

    /**
     * A new policy for one controller.
     *
     * @throws IllegalArgumentException for a name that is no usage limit policy
     */
    public UsageLimitPolicy usageLimit(String name) {
        PolicySpec spec = find("usageLimitPolicyPluginRef", name, Policies.USAGE_LIMIT);
        return Policies.usageLimit(spec.type(), spec.parameters());
    }

    /**
     * A new policy for one controller.
     *
     * @param name null for strict priority
     * @throws IllegalArgumentException for a name that is no band selection policy
     */
    public BandSelectionPolicy bandSelection(@Nullable String name) {
        if (name == null) {
            return StrictBandPolicy.INSTANCE;
        }
        PolicySpec spec = find("bandSelectionPolicyPluginRef", name, Policies.BAND_SELECTION);
        return Policies.bandSelection(spec.type(), spec.parameters());
    }

    /** Where the ends of dispatched requests are told; {@link UsageSink#NONE} when no policy counts tokens. */
    public UsageSink usage() {
        return usage;
    }

    /** What the program-aware plugins know, for metrics; empty without such a plugin. It also forgets programs that are idle too long. */
    public List<ProgramsView> programs() {
        List<ProgramsView> views = new ArrayList<>(programs.size());
        programs.forEach((name, known) -> views.add(known.view(name)));
        return views;
    }

    private PolicySpec find(String field, String name, List<String> types) {
        PolicySpec spec = specs.get(name);
        if (spec == null || !types.contains(spec.type())) {
            List<String> known = specs.values().stream().filter(each -> types.contains(each.type())).map(PolicySpec::name).toList();
            throw new IllegalArgumentException(field + ": " + name + " (expected: one of " + String.join(", ", known) + ')');
        }
        return spec;
    }
}
