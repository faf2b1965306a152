package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.config.FlowControlConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PickerReaderTest {

    @TempDir
    Path dir;

    @Test
    void theOlderGroupIsReadWithANotice() {
        LoadResult result = Loading.load("kind: EndpointPickerConfig\napiVersion: inference.networking.x-k8s.io/v1alpha1\n");
        assertThat(Loading.lines(result)).containsExactly(
                "c:2:13: notice: apiVersion: inference.networking.x-k8s.io/v1alpha1 is the old group (expected: llm-d.ai/v1alpha1)");
        assertThat(result.settings()).isNotNull();
    }

    @Test
    void discoveryAndMetricsAreRead() throws Exception {
        Path file = Files.writeString(dir.resolve("picker.yaml"), Loading.PICKER + """
                plugins:
                - {name: disc, type: file-discovery, parameters: {path: endpoints.yaml, watchFile: true}}
                - {type: metrics-data-source, parameters: {path: /metrics, interval: 100ms}}
                - {type: core-metrics-extractor, parameters: {defaultEngine: vllm}}
                dataLayer:
                  sources:
                  - {pluginRef: metrics-data-source, extractors: [{pluginRef: core-metrics-extractor}]}
                  discovery: {pluginRef: disc}
                """);
        LoadResult result = ConfigLoader.load(List.of(Source.file(file)), LoadOptions.none());
        assertThat(Loading.lines(result)).isEmpty();
        PickerSettings picker = Loading.settings(result).picker();
        assertThat(picker.discovery()).isEqualTo(new PickerSettings.Discovery(dir.resolve("endpoints.yaml"), true));
        assertThat(picker.metrics().interval()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void anExistingSchedulingConfigurationLoadsWithWarnings() {
        LoadResult result = Loading.load(Loading.PICKER + """
                plugins:
                - type: queue-scorer
                - type: max-score-picker
                  parameters: {maxNumOfEndpoints: 1}
                - type: single-profile-handler
                schedulingProfiles:
                - name: default
                  plugins:
                  - {pluginRef: queue-scorer, weight: 2}
                  - {pluginRef: max-score-pickr}
                requestHandler: {parsers: [{pluginRef: openai}]}
                dataLayer: {injectDefaults: true}
                """);
        assertThat(Loading.lines(result)).containsExactly(
                "c:4:9: warning: plugins[0].type: queue-scorer: not supported yet, ignored",
                "c:5:9: warning: plugins[1].type: max-score-picker: not supported yet, ignored",
                "c:7:9: warning: plugins[2].type: single-profile-handler: not supported yet, ignored",
                "c:8:1: warning: schedulingProfiles: not supported yet, ignored; each request goes to the endpoint with the least load",
                "c:12:17: schedulingProfiles[0].plugins[1].pluginRef: max-score-pickr: no such plugin (did you mean max-score-picker?)",
                "c:13:18: warning: requestHandler.parsers: not supported yet, ignored; no body is read for routing",
                "c:13:40: requestHandler.parsers[0].pluginRef: openai: no such plugin (expected: a name in plugins)");
    }

    @Test
    void experimentalTypesNeedTheFlag() {
        String text = Loading.PICKER + "plugins: [{type: session-affinity-scorer}]\n";
        assertThat(Loading.lines(text)).containsExactly(
                "c:3:18: plugins[0].type: session-affinity-scorer: is experimental (expected: --allow-experimental-plugins)");
        LoadResult allowed = Loading.load(text, LoadOptions.none().withExperimental());
        assertThat(Loading.lines(allowed)).containsExactly(
                "c:3:18: warning: plugins[0].type: session-affinity-scorer: not supported yet, ignored");
    }

    @Test
    void anExperimentalTypeWithoutTheFlagIsReadToItsEndAllTheSame() {
        String text = Loading.PICKER + Loading.GATE
                + "plugins: [{type: priority-holdback-policy, name: h, parameters: {minCeiling: 2, shape: cubic}}]\n"
                + "flowControl: {usageLimitPolicyPluginRef: h}\n";
        assertThat(Loading.lines(text)).hasSize(3).first().asString().contains("is experimental");
        assertThat(Loading.lines(text)).filteredOn(line -> line.contains("parameters.")).hasSize(2);
    }

    @Test
    void aMessageIsOneLineWhateverNamesItQuotes() {
        String text = Loading.PICKER + Loading.GATE
                + "plugins: [{type: concurrency-detector, name: \"a\\nb\"}, {type: max-saturation-detector, "
                + "parameters: {detectors: [\"a\\nb\"], stages: {zzzzzzzz: [decode]}}}]\n";
        assertThat(Loading.lines(text)).hasSize(1).first().asString().contains("not in detectors (expected: a\\u000ab");
    }

    @Test
    void theEvictionPoliciesAreTakenAsExperimentalAndChangeNothing() {
        String plugins = "plugins: [{type: sheddable-eviction-filter}, {type: priority-then-time-eviction-order-policy}]\n";
        LoadResult taken = Loading.load(Loading.PICKER + Loading.GATE + plugins, LoadOptions.none().withExperimental());
        assertThat(Loading.lines(taken)).isEmpty();
        assertThat(Loading.settings(taken).picker().flowControl()).isEqualTo(FlowControlConfig.defaults());
        assertThat(Loading.lines(Loading.PICKER + Loading.GATE + plugins)).hasSize(2).allMatch(line -> line.contains("is experimental"));
    }

    @Test
    void agentIdentityTakesHeaderNames() {
        String plugin = "plugins: [{type: agent-identity, parameters: {additionalSessionHeaders: [%s]}}]\n";
        LoadOptions experimental = LoadOptions.none().withExperimental();
        LoadResult good = Loading.load(Loading.PICKER + plugin.formatted("X-My-Session, session-id"), experimental);
        assertThat(Loading.lines(good)).isEmpty();
        assertThat(AgentIdentity.headers(Loading.settings(good).picker().plugins().values()))
                .containsExactly("x-my-session", "session-id", "x-claude-code-session-id", "x-session-affinity");
        String wrong = plugin.formatted("\"a b\", \"\", \"a:\", \"a\\nb\", session_id");
        assertThat(Loading.lines(Loading.load(Loading.PICKER + wrong, experimental))).hasSize(5)
                .satisfies(lines -> assertThat(lines.get(4)).contains("warning").contains("never comes in"))
                .filteredOn(line -> line.contains("(expected: a header name)")).hasSize(4);
        assertThat(AgentIdentity.headers(Loading.good(Loading.PICKER).picker().plugins().values())).isEmpty();
    }

    @Test
    void aDetectorsParametersAreCheckedWhereTheyStand() {
        assertThat(Loading.lines(Loading.PICKER + """
                plugins:
                - type: concurrency-detector
                  parameters:
                    concurrencyMode: token
                    maxConcurency: 4
                    maxTokenConcurrency: 0
                - {type: utilization-detector, parameters: {metricsStalenessThreshold: 5, headroom: 2}}
                """)).containsExactly(
                "c:6:5: plugins[0].parameters.concurrencyMode: \"token\" (expected: requests, tokens or hybrid)",
                "c:7:5: plugins[0].parameters.maxConcurency: unknown key (did you mean maxConcurrency?)",
                "c:8:5: plugins[0].parameters.maxTokenConcurrency: 0 (expected: 1 or more)",
                "c:9:45: plugins[1].parameters.metricsStalenessThreshold: 5 (expected: a Go duration such as 200ms, 1m30s)",
                "c:9:75: warning: plugins[1].parameters.headroom: 2 (expected: 0 to 1, a fraction)");
    }
}
