package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.Stage;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.config.GoDuration;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FlowControlReaderTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void theGateAloneMeansAllDefaults() {
        PickerSettings picker = Loading.good(Loading.PICKER + Loading.GATE).picker();
        assertThat(picker.flowControlEnabled()).isTrue();
        assertThat(picker.flowControl()).isEqualTo(FlowControlConfig.defaults());
        assertThat(picker.defaultDetector()).isEqualTo(PluginSpec.plain("utilization-detector"));
        assertThat(picker.usageLimit()).isEqualTo(PluginSpec.plain("static-usage-limit-policy"));
        assertThat(picker.bandSelection()).isNull();
        assertThat(picker.plugins()).containsOnlyKeys("fcfs-ordering-policy", "global-strict-fairness-policy",
                "static-usage-limit-policy", "utilization-detector");
    }

    @ParameterizedTest
    @CsvSource({"[flowControl],true", "[flowControl=true],true", "[flowControl= T ],true", "[flowControl=1=false],true",
        "[flowControl=false],false", "'[flowControl, flowControl=0]',false", "'[flowControl=F, flowControl]',true", "[],false"})
    void theLastEntryForAGateCounts(String gates, boolean on) {
        assertThat(Loading.good(Loading.PICKER + "featureGates: " + gates).picker().flowControlEnabled()).isEqualTo(on);
    }

    @Test
    void aStaticBandTakesSystemDefaultsNotThoseOfATemplate() {
        FlowControlConfig config = config("""
                  defaultPriorityBand: {maxRequests: 7, maxBytes: 1Ki, defaultRequestTTL: 1s}
                  defaultNegativePriorityBand: {maxRequests: 3}
                  priorityBands:
                  - {priority: 5}
                  - {priority: -1, maxRequests: 0, maxBytes: "0"}
                """);
        assertThat(config.bands()).containsExactly(BandConfig.defaults(5), BandConfig.defaults(-1));
        assertThat(config.template(9).maxRequests()).isEqualTo(7);
        assertThat(config.template(9).maxBytes()).isEqualTo(1024);
        assertThat(config.template(9).requestTtlNanos()).isEqualTo(SECOND);
        assertThat(config.template(-9)).isEqualTo(new BandConfig(-9, 3, BandConfig.DEFAULT_MAX_BYTES, BandConfig.INHERIT,
                BandConfig.GLOBAL_STRICT, BandConfig.FCFS));
    }

    @ParameterizedTest
    @CsvSource({"100,100", "'\"1k\"',1000", "1k,1000", "1.5,2", "0.1,1", "1500m,2", "2e3,2000", "1Ki,1024", "unbounded,-1", "0,5000",
        "'',5000", "1u,1"})
    void aBandsLimitIsAQuantity(String limit, long expected) {
        assertThat(config("  priorityBands: [{maxRequests: " + limit + "}]\n").bands().get(0).maxRequests()).isEqualTo(expected);
    }

    @Test
    void aGlobalLimitOfZeroOrNoneIsNoLimit() {
        assertThat(config("  maxRequests: 0\n").maxRequests()).isEqualTo(CapacitySnapshot.UNBOUNDED);
        assertThat(config("  maxBytes:\n").maxBytes()).isEqualTo(CapacitySnapshot.UNBOUNDED);
        assertThat(config("  maxRequests: 9\n").maxRequests()).isEqualTo(9);
    }

    @Test
    void aLimitBeyondWhatCanBeCountedIsClampedWithANotice() {
        LoadResult result = Loading.load(Loading.PICKER + Loading.GATE
                + "flowControl:\n  priorityBands: [{maxRequests: 10M, maxBytes: 5Ti}]\n");
        assertThat(Loading.lines(result)).containsExactly(
                "c:5:33: notice: flowControl.priorityBands[0].maxRequests: 10000000 is more than can be counted, read as 8388607",
                "c:5:48: notice: flowControl.priorityBands[0].maxBytes: 5497558138880 is more than can be counted, read as 1099511627775");
        assertThat(Loading.settings(result).picker().flowControl().bands().get(0).maxRequests()).isEqualTo(BandConfig.MAX_REQUESTS);
    }

    @Test
    void theEmptyPoolsBudgetFollowsTheOtherOneWhenThatIsGiven() {
        assertThat(config("  maxRequests: 9\n").noEndpointTtlNanos()).isEqualTo(60 * SECOND);
        assertThat(config("  defaultRequestTTL: 5s\n").noEndpointTtlNanos()).isEqualTo(5 * SECOND);
        assertThat(config("  defaultRequestTTL: 0s\n").noEndpointTtlNanos()).isZero();
        assertThat(config("  defaultRequestTTL: \"0\"\n  noEndpointRequestTTL: 5m\n").noEndpointTtlNanos()).isEqualTo(300 * SECOND);
    }

    @Test
    void stagesHaveTheirOwnDetectors() {
        PickerSettings picker = Loading.settings(Loading.load(Loading.PICKER + Loading.GATE + """
                plugins:
                - {type: concurrency-detector, name: pre, parameters: {concurrencyMode: tokens, maxTokenConcurrency: 300000}}
                flowControl:
                  saturationDetector: {stages: {prefill: pre}, gateOn: decode}
                """)).picker();
        assertThat(picker.defaultDetector().name()).isEqualTo("utilization-detector");
        assertThat(picker.stageDetectors()).isEqualTo(Map.of(Stage.PREFILL,
                new PluginSpec("pre", "concurrency-detector", Map.of("concurrencyMode", "tokens", "maxTokenConcurrency", 300_000L))));
        assertThat(picker.flowControl().gateOn()).isEqualTo(new GateOn(Stage.DECODE));
        assertThat(config("  saturationDetector: {gateOn: \"\"}\n").gateOn()).isEqualTo(GateOn.MAX);
    }

    /** Seed 2's validations; with the gate off too, since the legacy path uses the default detector. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyReferenceOfTheDetectorsIsChecked(boolean gate) {
        String document = Loading.PICKER + (gate ? Loading.GATE : "featureGates: []\n") + """
                flowControl:
                  saturationDetector:
                    pluginRef: utilisation-detector
                    stages: {prefill: fcfs-ordering-policy, decode: "", encode: utilization-detector}
                    gateOn: encode
                """;
        assertThat(Loading.lines(document)).contains(
                "c:6:16: flowControl.saturationDetector.pluginRef: utilisation-detector: no such plugin"
                        + " (did you mean utilization-detector?)",
                "c:7:23: flowControl.saturationDetector.stages.prefill: fcfs-ordering-policy: is an ordering policy"
                        + " (expected: a saturation detector)",
                "c:7:53: flowControl.saturationDetector.stages.decode: \"\" (expected: a name)",
                "c:7:57: flowControl.saturationDetector.stages.encode: unknown key (did you mean decode?)",
                "c:8:13: flowControl.saturationDetector.gateOn: encode (expected: max, prefill, decode; did you mean decode?)");
        String noReference = Loading.PICKER + "flowControl: {saturationDetector: {stages: {prefill: }}}\n";
        assertThat(Loading.lines(noReference)).anyMatch(line -> line.contains("stages.prefill: missing (expected: a detector's name)"));
    }

    @Test
    void theOldPlaceOfTheDetectorCarriesStagesToo() {
        String top = Loading.PICKER + Loading.GATE + "plugins: [{type: concurrency-detector}, {type: utilization-detector}]\n"
                + "saturationDetector: {pluginRef: concurrency-detector, stages: {decode: utilization-detector}, gateOn: decode}\n";
        LoadResult result = Loading.load(top);
        assertThat(Loading.lines(result)).containsExactly(
                "c:5:1: notice: saturationDetector: is the old place (expected: flowControl.saturationDetector)");
        PickerSettings picker = Loading.settings(result).picker();
        assertThat(picker.defaultDetector().name()).isEqualTo("concurrency-detector");
        assertThat(picker.stageDetectors()).containsOnlyKeys(Stage.DECODE);
        assertThat(picker.flowControl().gateOn()).isEqualTo(new GateOn(Stage.DECODE));

        LoadResult both = Loading.load(top + "flowControl: {saturationDetector: {}}\n");
        assertThat(Loading.lines(both)).contains(
                "c:5:1: warning: saturationDetector: ignored, since flowControl.saturationDetector is there");
        assertThat(Loading.settings(both).picker().defaultDetector().name()).isEqualTo("utilization-detector");
    }

    @Test
    void theUsageLimitIsThatOfTheNamedPolicy() {
        PickerSettings picker = Loading.good(Loading.PICKER + Loading.GATE + """
                plugins:
                - {type: static-usage-limit-policy, name: tight, parameters: {threshold: 0.75}}
                flowControl: {usageLimitPolicyPluginRef: tight}
                """).picker();
        assertThat(picker.usageLimit()).isEqualTo(new PluginSpec("tight", "static-usage-limit-policy", Map.of("threshold", 0.75)));
    }

    @Test
    void settingsWithoutTheGateAreOneWarningThatNamesThem() {
        LoadResult result = Loading.load(Loading.PICKER + """
                flowControl:
                  maxBytes: 1Gi
                  enableEviction: false
                  priorityBands: [{priority: 1, fairnessPolicyRef: nowhere}]
                  saturationDetector: {stages: {prefill: utilization-detector}, gateOn: max}
                """);
        assertThat(Loading.lines(result)).containsExactly(
                "c:3:1: warning: flowControl: ignored while flow control is off: flowControl.maxBytes, flowControl.priorityBands,"
                        + " flowControl.saturationDetector.stages, flowControl.saturationDetector.gateOn"
                        + " (expected: featureGates: [flowControl])",
                "c:6:52: warning: flowControl.priorityBands[0].fairnessPolicyRef: nowhere: no such plugin"
                        + " (expected: global-strict-fairness-policy)");
        assertThat(result.settings()).isNotNull();
        assertThat(Loading.lines(Loading.PICKER + "flowControl: {enableEviction: false}\n")).isEmpty();
        assertThat(Loading.lines(Loading.PICKER + "flowControl: {saturationDetector: {}}\n")).isEmpty();
        assertThat(Loading.lines(Loading.PICKER + "flowControl: {saturationDetector: {pluginRef: \"\", stages: {}, gateOn: \"\"}}\n"))
                .isEmpty();
    }

    @Test
    void aHiddenBandDefaultBelowTheGlobalLimitIsAWarning() {
        assertThat(Loading.lines(Loading.PICKER + Loading.GATE + "flowControl: {maxRequests: 10000}\n")).containsExactly(
                "c:4:28: warning: flowControl.maxRequests: more than the default of 5000 that limits priority band 0"
                        + " (expected: maxRequests in the band too)");
        assertThat(Loading.lines(Loading.PICKER + Loading.GATE + "flowControl: {maxBytes: 2G, defaultPriorityBand: {maxBytes: 2G},"
                + " priorityBands: [{priority: 3}, {priority: 4, maxBytes: 500M}]}\n")).containsExactly(
                "c:4:25: warning: flowControl.maxBytes: more than the default of 1000000000 that limits priority band 3"
                        + " (expected: maxBytes in the band too)");
        assertThat(Loading.lines(Loading.PICKER + Loading.GATE + "flowControl: {maxRequests: 5000}\n")).isEmpty();
    }

    private static FlowControlConfig config(String section) {
        return Loading.good(Loading.PICKER + Loading.GATE + "flowControl:\n" + section).picker().flowControl();
    }

    /** spec/flow-control sections 6.5 and 9. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{} | 2300ms",
        "{pluginRef: exact} | 10ms",
        "{pluginRef: exact, stages: {prefill: scraped}} | 2300ms",
        "{pluginRef: scraped, stages: {prefill: exact, decode: exact}} | 2300ms",
        "{pluginRef: scraped, stages: {prefill: exact, decode: exact}, gateOn: decode} | 10ms",
        "{pluginRef: scraped, stages: {prefill: exact}, gateOn: decode} | 2300ms",
        "{pluginRef: exact, stages: {prefill: scraped}, gateOn: decode} | 10ms"})
    void evictionIsPacedByTheSlowestDetectorThatMayGate(String detector, String grace) {
        String plugins = Loading.PICKER + Loading.GATE
                + "plugins: [{type: concurrency-detector, name: exact}, {type: utilization-detector, name: scraped}]\n";
        String flow = "flowControl: {enableEviction: true, saturationDetector: " + detector + "}\n";
        PickerSettings picker = Loading.settings(Loading.load(plugins + flow)).picker();
        assertThat(picker.flowControl().evicts()).isTrue();
        assertThat(picker.flowControl().evictionGraceNanos()).isEqualTo(GoDuration.parseNanos(grace));
        assertThat(config("  saturationDetector: {}\n").evicts()).isFalse();
    }

    @Test
    void evictionDoesNotLookAtStages() {
        LoadResult result = Loading.load(Loading.PICKER + Loading.GATE
                + "flowControl: {enableEviction: true, saturationDetector: {gateOn: decode}}\n");
        assertThat(Loading.lines(result)).singleElement().asString().startsWith("c:4:31: warning: flowControl.enableEviction: true stops")
                .contains("decode");
    }

    @Test
    void theFlagsForScrapingSetThePaceOfEvictionToo() {
        LoadOptions flags = new LoadOptions(null, null, false, null, Duration.ofMillis(500), Duration.ofSeconds(3), null);
        String evicting = Loading.PICKER + Loading.GATE + "flowControl: {enableEviction: true}\n";
        PickerSettings picker = Loading.settings(Loading.load(evicting, flags)).picker();
        assertThat(picker.flowControl().evictionGraceNanos()).isEqualTo(Duration.ofMillis(3750).toNanos());
    }

    @Test
    void whileTheGateIsOffEvictionIsOffWithoutAWord() {
        LoadResult result = Loading.load(Loading.PICKER + "flowControl: {enableEviction: true}\n");
        assertThat(Loading.lines(result)).isEmpty();
        assertThat(Loading.settings(result).picker().flowControl().evicts()).isFalse();
    }
}
