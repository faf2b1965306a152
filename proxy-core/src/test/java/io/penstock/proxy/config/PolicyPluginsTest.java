package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.PolicySpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From documents to policies; values that are refused are in {@link BadInputsTest}. */
final class PolicyPluginsTest {

    private static final String EVERY_POLICY = Loading.PICKER + Loading.GATE + """
            plugins:
            - {name: turns, type: round-robin-fairness-policy}
            - {name: tenants, type: weighted-fairness-policy, parameters: {cost: bytes, weights: {gold: 4, "1": 2}, defaultWeight: 0.5}}
            - {name: programs, type: program-aware-fairness, parameters: {strategy: las, lasHalfLifeSeconds: 30}}
            - {name: programs-2, type: program-aware-fairness, parameters: {strategy: "", lasWeightHeadWait: 0.5}}
            - {name: deadline, type: edf-ordering-policy}
            - {name: slo, type: slo-deadline-ordering-policy}
            - {name: held, type: priority-holdback-policy, parameters: {minCeiling: 0.5, shape: linear, domain: value}}
            - {type: soft-reflective-ceiling-policy, parameters: {}}
            - {name: bounded, type: starvation-bound-policy, parameters: {maxWait: 2s, share: 5}}
            - {name: shared, type: weighted-band-policy, parameters: {weights: {100: 3, -1: 0.5}}}
            flowControl:
              usageLimitPolicyPluginRef: held
              bandSelectionPolicyPluginRef: bounded
              defaultPriorityBand: {fairnessPolicyRef: turns}
              priorityBands:
              - {priority: 2, fairnessPolicyRef: tenants, orderingPolicyRef: slo}
              - {priority: 1, fairnessPolicyRef: programs, orderingPolicyRef: deadline}
              - {priority: 0, fairnessPolicyRef: programs-2}
            """;

    @Test
    void everyPolicyIsFoundByItsPluginsName() {
        LoadResult result = Loading.load(EVERY_POLICY, LoadOptions.none().withExperimental());
        assertThat(Loading.lines(result)).isEmpty();
        PickerSettings picker = Loading.settings(result).picker();
        assertThat(picker.usageLimit().name()).isEqualTo("held");
        assertThat(picker.bandSelection()).isEqualTo(
                new PluginSpec("bounded", "starvation-bound-policy", Map.of("maxWait", "2s", "share", 5L)));
        PolicySet policies = PolicySet.of(picker.policies(), () -> 0);
        assertThat(picker.flowControl().bands()).allSatisfy(band -> {
            assertThat(policies.fairness(band.fairnessPolicyRef())).isNotNull();
            assertThat(policies.ordering(band.orderingPolicyRef())).isNotNull();
        });
        assertThat(policies.fairness(picker.flowControl().template(7).fairnessPolicyRef()).type())
                .isEqualTo("round-robin-fairness-policy");
        assertThat(policies.ordering("slo").type()).isEqualTo("slo-deadline-ordering-policy");
        assertThat(policies.programs()).hasSize(2);
    }

    @Test
    void aPolicysPriorityKeysAndFairnessIdsNeedNoQuotes() {
        PickerSettings picker = Loading.settings(Loading.load(EVERY_POLICY, LoadOptions.none().withExperimental())).picker();
        assertThat(picker.policies()).contains(
                new PolicySpec("shared", "weighted-band-policy", Map.of("weights", Map.of("100", 3L, "-1", 0.5))));
    }

    @Test
    void holdbacksParametersAreRefusedTogether() {
        LoadResult result = Loading.load(Loading.PICKER + """
                plugins:
                - type: priority-holdback-policy
                  parameters:
                    maxCeiling: 1.5
                    shape: cubic
                    domain: ranks
                - {type: priority-holdback-policy, name: two, parameters: {minCeiling: 0.9, maxCeiling: 0.9}}
                - {type: soft-reflective-ceiling-policy, parameters: {shape: linear}}
                """, LoadOptions.none().withExperimental());
        assertThat(Loading.lines(result)).containsExactly(
                "c:4:3: plugins[0].parameters.minCeiling: missing (expected: a number, 0 or more, below 1)",
                "c:6:5: plugins[0].parameters.maxCeiling: 1.5 (expected: more than 0, at most 1)",
                "c:7:5: plugins[0].parameters.shape: \"cubic\" (expected: linear)",
                "c:8:5: plugins[0].parameters.domain: \"ranks\" (expected: rank or value)",
                "c:9:60: plugins[1].parameters.minCeiling: 0.9 (expected: below maxCeiling, 0.9)",
                "c:10:55: plugins[2].parameters.shape: unknown key (expected: no parameters)");
    }

    @Test
    void parametersThatNobodyReadsAreAWarning() {
        assertThat(Loading.lines(Loading.PICKER + "plugins: [{type: edf-ordering-policy, parameters: {by: size}}]\n")).containsExactly(
                "c:3:39: warning: plugins[0].parameters: edf-ordering-policy takes no parameters, ignored");
        assertThat(Loading.lines(Loading.PICKER
                + "plugins: [{type: static-usage-limit-policy, parameters: {threshold: 2}}]\n")).containsExactly(
                "c:3:58: warning: plugins[0].parameters.threshold: 2 lets bands dispatch while the pool is past its set point"
                        + " (expected: at most 1)");
    }

    @Test
    void onlyTheThreeDefaultPoliciesAndTheDefaultDetectorExistUndeclared() {
        String detector = Loading.PICKER + Loading.GATE + "plugins: [{type: concurrency-detector}]\n"
                + "flowControl: {saturationDetector: {pluginRef: concurrency-detector";
        assertThat(Loading.good(detector + "}}\n").picker().plugins()).containsOnlyKeys("concurrency-detector",
                "fcfs-ordering-policy", "global-strict-fairness-policy", "static-usage-limit-policy");
        assertThat(Loading.lines(detector + ", stages: {decode: utilization-detector}}}\n")).containsExactly(
                "c:5:86: flowControl.saturationDetector.stages.decode: utilization-detector: no such plugin"
                        + " (expected: an entry in plugins, type: utilization-detector)");
    }

    @Test
    void aPluginWithTheNameOfADefaultTakesItsPlace() {
        PickerSettings picker = Loading.good(Loading.PICKER + Loading.GATE
                + "plugins: [{name: global-strict-fairness-policy, type: round-robin-fairness-policy},"
                + " {type: static-usage-limit-policy, parameters: {threshold: 0.5}}]\n").picker();
        PolicySet policies = PolicySet.of(picker.policies(), () -> 0);
        assertThat(picker.usageLimit().parameters()).containsEntry("threshold", 0.5);
        assertThat(policies.fairness(picker.flowControl().template(3).fairnessPolicyRef()).type())
                .isEqualTo("round-robin-fairness-policy");
    }

    @Test
    void withTheGateOffAWrongReferenceIsOnlyAWarningAndTheDefaultStands() {
        LoadResult result = Loading.load(Loading.PICKER + "flowControl: {bandSelectionPolicyPluginRef: nowhere,"
                + " usageLimitPolicyPluginRef: fcfs-ordering-policy}\n");
        assertThat(Loading.lines(result)).containsExactly(
                "c:3:1: warning: flowControl: ignored while flow control is off: flowControl.usageLimitPolicyPluginRef,"
                        + " flowControl.bandSelectionPolicyPluginRef (expected: featureGates: [flowControl])",
                "c:3:45: warning: flowControl.bandSelectionPolicyPluginRef: nowhere: no such plugin"
                        + " (expected: an entry in plugins that is a band selection policy)",
                "c:3:81: warning: flowControl.usageLimitPolicyPluginRef: fcfs-ordering-policy: is an ordering policy"
                        + " (expected: a usage limit policy)");
        assertThat(Loading.settings(result).picker().usageLimit()).isEqualTo(PluginSpec.plain("static-usage-limit-policy"));
    }

    @Test
    void allProblemsOfPoliciesAndBandsAreFoundInOneRun() {
        List<String> lines = Loading.lines(Loading.PICKER + Loading.GATE + """
                plugins:
                - {type: weighted-fairness-policy, parameters: {costs: bytes}}
                - {type: weighted-fairness-policy}
                - {type: round-robin-fairness}
                - {name: nameless}
                flowControl:
                  usageLimitPolicyPluginRef: missing
                  priorityBands:
                  - {priority: 1, fairnessPolicyRef: weighted-fairness-policy, orderingPolicyRef: round-robin}
                  - {priority: 1, maxRequests: -3}
                """);
        assertThat(lines).containsExactly(
                "c:5:49: plugins[0].parameters.costs: unknown key (did you mean cost?)",
                "c:6:3: plugins[1]: plugin weighted-fairness-policy declared twice (first at c:5:3)",
                "c:7:10: plugins[2].type: round-robin-fairness: unknown plugin type (did you mean round-robin-fairness-policy?)",
                "c:8:3: plugins[3].type: missing (expected: a plugin type)",
                "c:10:30: flowControl.usageLimitPolicyPluginRef: missing: no such plugin (expected: static-usage-limit-policy)",
                "c:12:83: flowControl.priorityBands[0].orderingPolicyRef: round-robin: no such plugin (expected: fcfs-ordering-policy)",
                "c:13:5: flowControl.priorityBands[1]: priority 1 given twice (first at c:12:5)",
                "c:13:32: flowControl.priorityBands[1].maxRequests: -3 (expected: 0 or more, or unbounded)");
    }
}
