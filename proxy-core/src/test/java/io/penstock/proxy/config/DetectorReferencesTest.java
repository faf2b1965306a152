package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.Stage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Parameters of {@code max-saturation-detector}: every mistake at its place, references followed to the end. */
final class DetectorReferencesTest {

    private static final String PLUGINS = Loading.PICKER + """
            plugins:
            - {type: concurrency-detector, name: tokens, parameters: {concurrencyMode: tokens}}
            - {type: concurrency-detector, name: requests}
            """;

    /** Each layer asks both of the next one: all at the bottom are asked on every way there is. */
    private static String layers(int count) {
        StringBuilder yaml = new StringBuilder(PLUGINS);
        for (int i = 1; i <= count; i++) {
            String below = i == 1 ? "tokens, requests" : "a" + (i - 1) + ", b" + (i - 1);
            for (String side : List.of("a", "b")) {
                yaml.append("- {type: max-saturation-detector, name: ").append(side).append(i).append(", parameters: {detectors: [")
                        .append(below).append("]}}\n");
            }
        }
        return yaml.toString();
    }

    @Test
    void layersThatAskEachOtherOnTooManyWaysAreAnError() {
        assertThat(Loading.lines(layers(7))).isEmpty();
        assertThat(Loading.lines(layers(8))).hasSize(2).first().asString()
                .contains("a8: asks too many detectors").contains("expected: at most 256");
        assertThat(Loading.lines(layers(40))).as("found at once").isNotEmpty();
    }

    @Test
    void aChainOfThousandsIsAnErrorToo() {
        StringBuilder yaml = new StringBuilder(PLUGINS);
        for (int i = 0; i < 5000; i++) {
            yaml.append("- {type: max-saturation-detector, name: m").append(i).append(", parameters: {detectors: [")
                    .append(i == 4999 ? "tokens" : "m" + (i + 1)).append("]}}\n");
        }
        assertThat(Loading.lines(yaml.toString())).isNotEmpty().allMatch(line -> line.contains("asks too many detectors"));
    }

    @Test
    void aStageAndAnotherOneMayNameIt() {
        PickerSettings picker = Loading.good(PLUGINS + """
            - {type: max-saturation-detector, name: outer, parameters: {detectors: [inner, requests]}}
            - type: max-saturation-detector
              name: inner
              parameters:
                detectors: [tokens, requests]
                stages: {tokens: [prefill], requests: [prefill, decode]}
            featureGates: [flowControl]
            flowControl: {saturationDetector: {pluginRef: outer, stages: {prefill: inner}}}
            """).picker();
        assertThat(picker.defaultDetector().name()).isEqualTo("outer");
        assertThat(picker.stageDetectors().get(Stage.PREFILL).parameters()).isEqualTo(Map.of("detectors", List.of("tokens", "requests"),
                "stages", Map.of("tokens", List.of("prefill"), "requests", List.of("prefill", "decode"))));
    }

    @Test
    void whatIsWrongInsideIsReportedWhereItStands() {
        assertThat(Loading.lines(PLUGINS + """
            - type: max-saturation-detector
              parameters:
                detectors: [tokens, requests, tokens]
                stages:
                  tokens: [prefil, decode,
                    decode]
                  request: [decode]
                  requests: []
                detecters: []
            """)).containsExactly(
                "c:8:35: plugins[2].parameters.detectors[2]: tokens (expected: each name once)",
                "c:10:16: plugins[2].parameters.stages.tokens[0]: \"prefil\" (expected: prefill or decode; did you mean prefill?)",
                "c:11:9: plugins[2].parameters.stages.tokens[2]: decode (expected: each stage once)",
                "c:12:7: plugins[2].parameters.stages.request: not in detectors (expected: tokens, requests;"
                        + " did you mean requests?)",
                "c:13:7: plugins[2].parameters.stages.requests: [] (expected: a list of prefill, decode)",
                "c:14:5: plugins[2].parameters.detecters: unknown key (did you mean detectors?)");
    }

    @Test
    void whatADocumentHoldsGetsNoLineOfItsOwn() {
        assertThat(Loading.lines(Loading.PICKER + """
            plugins:
            - type: concurrency-detector
              parameters: {concurrencyMode: "a\\nb"}
            """)).containsExactly(
                "c:5:16: plugins[0].parameters.concurrencyMode: \"a\\u000ab\" (expected: requests, tokens or hybrid)");
    }

    @Test
    void aStageListThatIsLeftOutIsNoListOfAllStages() {
        assertThat(Loading.lines(PLUGINS + """
            - type: max-saturation-detector
              parameters: {detectors: [tokens], stages: {tokens: }}
            """)).containsExactly("c:7:46: plugins[2].parameters.stages.tokens: \"\" (expected: a list of prefill, decode)");
    }

    @Test
    void withoutChildrenItIsRefusedWhereItIsDeclared() {
        assertThat(Loading.lines(PLUGINS + "- {type: max-saturation-detector}\n")).containsExactly(
                "c:6:3: plugins[2].parameters.detectors: missing (expected: a list of detectors' names)");
        assertThat(Loading.lines(PLUGINS + "- {type: max-saturation-detector, parameters: {detectors: tokens}}\n")).containsExactly(
                "c:6:48: plugins[2].parameters.detectors: \"tokens\" (expected: a list of detectors' names)");
    }

    @Test
    void aReferenceMustLeadToADetector() {
        assertThat(Loading.lines(PLUGINS + """
            - type: max-saturation-detector
              parameters:
                detectors:
                - token
                - fcfs-ordering-policy
                - requests
            """)).containsExactly(
                "c:9:7: plugins[2].parameters.detectors[0]: token: no such plugin (did you mean tokens?)",
                "c:10:7: plugins[2].parameters.detectors[1]: fcfs-ordering-policy: is an ordering policy"
                        + " (expected: a saturation detector)");
    }

    @Test
    void aCircleIsRefusedByItsWay() {
        assertThat(Loading.lines(PLUGINS + """
            - {type: max-saturation-detector, name: a, parameters: {detectors: [tokens, b]}}
            - {type: max-saturation-detector, name: b, parameters: {detectors: [c, requests]}}
            - {type: max-saturation-detector, name: c, parameters: {detectors: [d, b]}}
            - {type: max-saturation-detector, name: d, parameters: {detectors: [d]}}
            """)).containsExactly(
                "c:7:69: plugins[3].parameters.detectors[0]: b -> c -> b: a circle (expected: no detector that asks itself)",
                "c:9:69: plugins[5].parameters.detectors[0]: d (expected: another detector, not itself)");
    }

    @Test
    void theOnesThatMeetAgainAreNoCircle() {
        Loading.good(PLUGINS + """
            - {type: max-saturation-detector, name: a, parameters: {detectors: [b, c]}}
            - {type: max-saturation-detector, name: b, parameters: {detectors: [d, tokens]}}
            - {type: max-saturation-detector, name: c, parameters: {detectors: [d]}}
            - {type: max-saturation-detector, name: d, parameters: {detectors: [tokens]}}
            """);
    }

    @Test
    void aPlainPluginThatWasRefusedIsNoSecondProblem() {
        assertThat(Loading.lines(Loading.PICKER + """
            plugins:
            - {type: concurrency-detectr, name: tokens}
            - {type: max-saturation-detector, parameters: {detectors: [tokens]}}
            """)).hasSize(1);
    }
}
