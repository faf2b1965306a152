package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowKey;
import io.penstock.flow.UsageSink;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.policy.ProgramsView.ProgramView;
import io.penstock.flow.testkit.ManualClock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicySetTest {

    private static final String LAS = "program-aware-fairness";
    private static final FlowKey FLOW = new FlowKey("p", 0);

    private final ManualClock clock = new ManualClock();

    private PolicySet set(PolicySpec... specs) {
        return PolicySet.of(List.of(specs), clock);
    }

    @Test
    void everyListedTypeIsMadeUnderThePluginsName() {
        for (String type : Policies.FAIRNESS) {
            assertThat(set(named(type)).fairness("mine").type()).isEqualTo(type);
        }
        for (String type : Policies.ORDERING) {
            assertThat(set(named(type)).ordering("mine").type()).isEqualTo(type);
        }
        for (String type : Policies.USAGE_LIMIT) {
            assertThat(set(named(type)).usageLimit("mine")).isNotNull();
        }
        for (String type : Policies.BAND_SELECTION) {
            assertThat(set(named(type)).bandSelection("mine").type()).isEqualTo(type);
        }
        assertThat(set().bandSelection(null)).isSameAs(StrictBandPolicy.INSTANCE);
    }

    private static PolicySpec named(String type) {
        return new PolicySpec("mine", type, type.equals("priority-holdback-policy") ? Map.of("minCeiling", 0.5) : Map.of());
    }

    @Test
    void onlyThreePoliciesNeedNoDeclaration() {
        PolicySet none = set();
        assertThat(none.fairness("global-strict-fairness-policy")).isNotNull();
        assertThat(none.ordering("fcfs-ordering-policy")).isNotNull();
        assertThat(none.usageLimit("static-usage-limit-policy")).isEqualTo(new StaticUsageLimitPolicy(1.0));
        assertThatThrownBy(() -> none.fairness("round-robin-fairness-policy"))
                .hasMessage("fairnessPolicyRef: round-robin-fairness-policy (expected: one of global-strict-fairness-policy)");
    }

    @Test
    void aDeclarationUnderTheNameOfSuchAPolicyReplacesIt() {
        PolicySet set = set(new PolicySpec("static-usage-limit-policy", "static-usage-limit-policy", Map.of("threshold", 0.5)),
                new PolicySpec("global-strict-fairness-policy", "round-robin-fairness-policy", Map.of()));
        assertThat(set.usageLimit("static-usage-limit-policy")).isEqualTo(new StaticUsageLimitPolicy(0.5));
        assertThat(set.fairness("global-strict-fairness-policy").type()).isEqualTo("round-robin-fairness-policy");
    }

    @Test
    void aNameOfAnotherRoleIsRefused() {
        assertThatThrownBy(() -> set().ordering("global-strict-fairness-policy")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("orderingPolicyRef: ");
        assertThatThrownBy(() -> set().bandSelection("fcfs-ordering-policy")).hasMessageStartingWith("bandSelectionPolicyPluginRef: ");
        assertThatThrownBy(() -> set().usageLimit("nothing")).hasMessageStartingWith("usageLimitPolicyPluginRef: ");
    }

    @Test
    void wrongTypesAndParametersAreRefusedAtOnce() {
        assertThatThrownBy(() -> set(new PolicySpec("x", "queue-scorer", Map.of()))).isInstanceOf(PluginConfigException.class);
        assertThatThrownBy(() -> set(new PolicySpec("x", LAS, Map.of("lasDecayFactor", 1)))).isInstanceOf(PluginConfigException.class);
    }

    @Test
    void everyBandGetsAFairnessPolicyOfItsOwn() {
        for (String type : Policies.FAIRNESS) {
            PolicySet set = set(named(type));
            assertThat(set.fairness("mine")).isNotSameAs(set.fairness("mine"));
        }
    }

    @Test
    void withoutAProgramAwarePluginNobodyIsToldOfUsage() {
        assertThat(set(named("weighted-fairness-policy")).usage()).isSameAs(UsageSink.NONE);
        assertThat(set().programs()).isEmpty();
    }

    @Test
    void everyProgramAwarePluginIsToldOfUsageOnceForAllOfItsBands() {
        PolicySet set = set(new PolicySpec("one", LAS, Map.of()), new PolicySpec("two", LAS, Map.of("lasHalfLifeSeconds", 1)));
        FairnessPolicy high = set.fairness("one");
        FairnessPolicy low = set.fairness("one");
        TestFlow flow = new TestFlow("p").add(0);
        high.activated(flow);
        high.served(flow, 1);
        TestFlow other = new TestFlow("p").add(0);
        low.activated(other);
        low.served(other, 1);
        set.usage().finished(FLOW, 10, 20);
        assertThat(set.programs()).extracting(ProgramsView::plugin).containsExactly("one", "two");
        assertThat(set.programs().get(0).programs()).singleElement().satisfies(view -> {
            assertThat(view.dispatched()).isEqualTo(2);
            assertThat(view.attainedService()).isEqualTo(50);
        });
        assertThat(set.programs().get(1).programs()).extracting(ProgramView::attainedService).containsExactly(50.0);
    }

    @Test
    void anUnchangedPluginKnowsAfterAReloadWhatItKnew() {
        PolicySpec kept = new PolicySpec("kept", LAS, Map.of());
        PolicySet before = set(kept, new PolicySpec("changed", LAS, Map.of()));
        before.usage().finished(FLOW, 1, 0);
        PolicySet after = before.reloaded(List.of(kept, new PolicySpec("changed", LAS, Map.of("lasHalfLifeSeconds", 5))));
        assertThat(after.programs().get(0).programs()).hasSize(1);
        assertThat(after.programs().get(1).programs()).isEmpty();
    }
}
