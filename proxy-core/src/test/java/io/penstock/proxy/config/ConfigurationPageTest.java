package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.config.FlowControlConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds docs/configuration.md to the readers: the same keys, the same defaults, the same plugin types. */
final class ConfigurationPageTest {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    /** Opens every section of every document, so that each reader asks for all of its keys. */
    private static final String EVERYTHING = """
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            plugins:
            - {type: utilization-detector}
            - {type: concurrency-detector}
            - {type: max-saturation-detector}
            - {type: static-usage-limit-policy}
            - {type: priority-holdback-policy}
            - {type: soft-reflective-ceiling-policy}
            - {type: program-aware-fairness}
            - {type: weighted-fairness-policy}
            - {type: starvation-bound-policy}
            - {type: weighted-band-policy}
            - {type: probabilistic-admitter}
            - {type: latency-slo-admitter}
            - {type: agent-identity}
            - {type: file-discovery}
            - {type: metrics-data-source}
            - {type: core-metrics-extractor, parameters: {engineConfigs: [{customMetrics: [{}]}]}}
            - {type: inflight-load-producer}
            - {type: token-producer}
            flowControl:
              defaultPriorityBand: {}
              defaultNegativePriorityBand: {}
              priorityBands: [{}]
              saturationDetector: {stages: {}}
            saturationDetector: {stages: {}}
            dataLayer: {sources: [{extractors: [{}]}], discovery: {}}
            schedulingProfiles: [{plugins: [{}]}]
            requestHandler: {parsers: [{}]}
            parser: {}
            ---
            apiVersion: penstock.io/v1alpha1
            kind: ProxyConfig
            listeners: [{tls: {}}]
            admin: {}
            metrics: {}
            endpoints: [{}]
            upstream: {}
            timeouts: {}
            limits: {}
            drain: {}
            accessLog: {}
            compat: {}
            ---
            apiVersion: llm-d.ai/v1alpha2
            kind: InferenceObjective
            metadata: {}
            spec: {poolRef: {}}
            """;

    private static String page = "";

    @BeforeAll
    static void readPage() throws IOException {
        page = Files.readString(Loading.repository().resolve("docs/configuration.md"));
    }

    @Test
    void thePageHasExactlyTheKeysThatTheReadersAccept() {
        Reading reading = new Reading(LoadOptions.none().withExperimental());
        ConfigLoader.load(List.of(new Source("c", null, EVERYTHING)), reading);
        // the old place of the detector is read instead of the new one, never besides it
        ConfigLoader.load(List.of(new Source("c", null, EVERYTHING.replaceFirst("  saturationDetector: .*\n", ""))), reading);
        Set<String> accepted = reading.asked().stream().map(ConfigurationPageTest::asOnThePage)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented()).isEqualTo(accepted);
    }

    private static String asOnThePage(String key) {
        return key.replaceFirst("flowControl\\.(priorityBands\\[]|defaultPriorityBand|defaultNegativePriorityBand)\\.", "band.");
    }

    private static Set<String> documented() {
        Set<String> keys = new TreeSet<>();
        String kind = "";
        for (String line : page.split("\n")) {
            if (line.startsWith("## ")) {
                Matcher heading = CODE.matcher(line);
                kind = heading.find() ? heading.group(1) : "";
            } else if (line.startsWith("| `") && !kind.isEmpty()) {
                Matcher key = CODE.matcher(line.split(" \\| ")[0]);
                while (key.find()) {
                    keys.add(kind + '.' + key.group(1));
                }
            }
        }
        return keys;
    }

    @Test
    void thePagesBlocksLoadAndShowTheDefaults() {
        List<String> blocks = BLOCK.matcher(page).results().map(match -> match.group(1)).toList();
        assertThat(blocks).hasSize(3);
        assertThat(Loading.good(blocks.get(0)).proxy()).isEqualTo(ProxyConfig.defaults());
        assertThat(Loading.good(blocks.get(1)).picker()).isEqualTo(Loading.good(Loading.PICKER + Loading.GATE).picker());
        assertThat(Loading.good(blocks.get(1)).picker().flowControl()).isEqualTo(FlowControlConfig.defaults());
        assertThat(Loading.good(blocks.get(2)).objectives()).isEqualTo(Map.of("interactive", 100));
    }

    @Test
    void everyPluginTypeStandsInTheColumnOfItsSupport() {
        Map<String, PluginType.Support> shown = new TreeMap<>();
        for (String line : page.substring(page.indexOf("| Role |")).split("\n")) {
            String[] cells = line.split("\\|");
            if (cells.length != PluginType.Support.values().length + 2) {
                break;
            }
            for (PluginType.Support support : PluginType.Support.values()) {
                CODE.matcher(cells[support.ordinal() + 2]).results().forEach(name -> shown.put(name.group(1), support));
            }
        }
        Map<String, PluginType.Support> real = PluginType.all().stream().collect(Collectors.toMap(PluginType::name, PluginType::support));
        assertThat(shown).isEqualTo(new TreeMap<>(real));
    }
}
