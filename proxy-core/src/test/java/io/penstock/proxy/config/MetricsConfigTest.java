package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.config.EngineConfig.Custom;
import io.penstock.proxy.config.MetricsSettings.Tls;
import io.penstock.proxy.testkit.TestTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How metrics are read: {@code metrics-data-source}, {@code core-metrics-extractor}, {@code dataLayer} and the flags. */
final class MetricsConfigTest {

    private static final String CONCURRENCY = "flowControl: {saturationDetector: {pluginRef: concurrency-detector}}\n";

    @TempDir
    Path dir;

    private static MetricsSettings metrics(String yaml) {
        return Loading.good(Loading.PICKER + yaml).picker().metrics();
    }

    private static LoadOptions flags(Duration interval, Duration staleness) {
        return new LoadOptions(null, null, false, null, interval, staleness, null);
    }

    @Test
    void withoutAWordTheBuiltInEnginesAreReadEveryFiftyMillis() {
        assertThat(metrics("")).isEqualTo(MetricsSettings.every(Duration.ofMillis(50)));
        assertThat(MetricsSettings.Engines.BUILT_IN.byName())
                .containsOnlyKeys("vllm", "sglang", "trtllm-serve", "triton-tensorrt-llm", "triton");
    }

    @Test
    void everyParameterOfTheSourceIsTaken() throws IOException {
        TestTls tls = TestTls.create("client");
        tls.certificate(dir);
        tls.privateKey(dir);
        Path file = Files.writeString(dir.resolve("picker.yaml"), Loading.PICKER + """
                plugins:
                - type: metrics-data-source
                  name: mine
                  parameters: {scheme: https, path: /m, port: 9100, insecureSkipVerify: false, caCertPath: certificate.pem,
                    clientCertPath: certificate.pem, clientKeyPath: key.pem, interval: 100ms}
                dataLayer: {sources: [{pluginRef: mine}]}
                """);
        LoadResult result = ConfigLoader.load(List.of(Source.file(file)), LoadOptions.none());
        assertThat(Loading.lines(result)).isEmpty();
        Path certificate = dir.resolve("certificate.pem");
        assertThat(Loading.settings(result).picker().metrics()).isEqualTo(new MetricsSettings(Duration.ofMillis(100), "/m", 9100,
                new Tls(false, certificate, certificate, dir.resolve("key.pem")), MetricsSettings.Engines.BUILT_IN));
    }

    @Test
    void filesThatHoldNoCertificatesAreNamed() throws IOException {
        Files.writeString(dir.resolve("no.pem"), "nothing\n");
        TestTls.create("client").privateKey(dir);
        Path file = Files.writeString(dir.resolve("picker.yaml"), Loading.PICKER + """
                plugins:
                - type: metrics-data-source
                  parameters: {scheme: https, insecureSkipVerify: false, caCertPath: no.pem, clientCertPath: key.pem, clientKeyPath: no.pem}
                """);
        List<String> lines = Loading.lines(ConfigLoader.load(List.of(Source.file(file)), LoadOptions.none()));
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).startsWith(file + ":5:70: plugins[0].parameters.caCertPath: no.pem: ")
                .endsWith(" (expected: certificates in PEM)");
        assertThat(lines.get(1)).startsWith(file + ":5:94: plugins[0].parameters.clientCertPath: key.pem: ");
    }

    @Test
    void anAuthorityThatIsNotAskedIsAWarning() throws IOException {
        TestTls.create("ca").certificate(dir);
        Path file = Files.writeString(dir.resolve("picker.yaml"), Loading.PICKER
                + "plugins: [{type: metrics-data-source, parameters: {scheme: https, caCertPath: certificate.pem}}]\n");
        assertThat(Loading.lines(ConfigLoader.load(List.of(Source.file(file)), LoadOptions.none()))).containsExactly(file
                + ":3:79: warning: plugins[0].parameters.caCertPath: not used, since insecureSkipVerify is true"
                + " (expected: insecureSkipVerify: false)");
    }

    @Test
    void anEngineOfOnesOwnIsAddedAndOneOfABuiltInNameReplacesThatWhole() {
        MetricsSettings.Engines engines = metrics("""
                plugins:
                - type: core-metrics-extractor
                  parameters:
                    engineLabelKey: engine
                    defaultEngine: mine
                    engineConfigs:
                    - name: mine
                      queuedRequestsSpec: q{status=waiting}
                      runningRequestsSpec: r
                      kvUsageSpec: k
                      loraSpec: l
                      cacheInfoSpec: c
                      cacheBlockSizeLabelName: size
                      cacheBlockSizeSpec: cs
                      cacheNumBlocksSpec: cn
                      customMetrics: [{attributeKey: depth, metricSpec: "d{tier=\\"gold\\"}"}]
                    - {name: vllm, kvUsageSpec: other}
                """).engines();
        assertThat(engines.byName()).hasSize(6);
        assertThat(engines.of(Map.of())).isEqualTo(new EngineConfig("mine", new MetricSpec("q", Map.of("status", "waiting")),
                MetricSpec.parse("r"), MetricSpec.parse("k"), MetricSpec.parse("l"), new EngineConfig.Cache(MetricSpec.parse("c"), "size",
                        "num_gpu_blocks", MetricSpec.parse("cs"), MetricSpec.parse("cn")),
                List.of(new Custom("depth", new MetricSpec("d", Map.of("tier", "gold"))))));
        assertThat(engines.of(Map.of("engine", "vllm")).waiting()).isNull();
        assertThat(engines.of(Map.of("engine", "sglang")).name()).isEqualTo("sglang");
        assertThat(engines.of(Map.of("engine", "unheard-of")).name()).isEqualTo("mine");
        assertThat(engines.of(Map.of("llm-d.ai/engine-type", "sglang")).name()).as("another key").isEqualTo("mine");
    }

    @Test
    void theOlderEngineLabelCountsWhereTheNewerIsMissing() {
        MetricsSettings.Engines engines = MetricsSettings.Engines.BUILT_IN;
        assertThat(engines.of(Map.of("inference.networking.k8s.io/engine-type", "sglang")).name()).isEqualTo("sglang");
        assertThat(engines.of(Map.of("inference.networking.k8s.io/engine-type", "sglang", "llm-d.ai/engine-type", "vllm")).name())
                .isEqualTo("vllm");
    }

    @Test
    void anEngineWhoseLoadCannotBeKnownIsAWarning() {
        assertThat(Loading.lines(Loading.PICKER
                + "plugins: [{type: core-metrics-extractor, parameters: {engineConfigs: [{name: x, runningRequestsSpec: a}]}}]\n"))
                .containsExactly("c:3:71: warning: plugins[0].parameters.engineConfigs[0]: names neither queuedRequestsSpec nor"
                        + " kvUsageSpec, so the load of such an endpoint is never known");
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {"-, -, 50ms", "-, 100ms, 100ms", "-, 120ms, 100ms", "-, 125ms, 150ms", "100ms, -, 100ms",
        "100ms, 80ms, 80ms", "100ms, 149ms, 100ms", "100ms, 150ms, 200ms", "10ms, -, 50ms", "10ms, 110ms, 100ms"})
    void aLongerIntervalIsRoundedToTheBaseTickAndAShorterOneIsTheTick(String flag, String own, String expected) {
        String yaml = own == null ? "" : "plugins: [{type: metrics-data-source, parameters: {interval: " + own + "}}]\n";
        Duration tick = flag == null ? null : Duration.parse("PT" + seconds(flag) + 'S');
        LoadResult result = Loading.load(Loading.PICKER + yaml, flags(tick, LoadOptions.DEFAULT_STALENESS));
        assertThat(Loading.settings(result).picker().metrics().interval()).isEqualTo(Duration.parse("PT" + seconds(expected) + 'S'));
    }

    private static double seconds(String millis) {
        return Integer.parseInt(millis.substring(0, millis.length() - 2)) / 1000.0;
    }

    @Test
    void metricsThatAreOlderThanADetectorTakesThemAreAWarning() {
        String source = "plugins: [{type: metrics-data-source, parameters: {interval: 60s}}, {type: concurrency-detector}]\n";
        assertThat(Loading.lines(Loading.PICKER + source)).containsExactly(
                "c:3:62: warning: dataLayer: metrics are read every 1m, which is not below the metricsStalenessThreshold of"
                        + " utilization-detector (200ms): it takes endpoints for full in between",
                "c:3:62: warning: dataLayer: metrics are read every 1m, which is not below --metrics-staleness-threshold (2s):"
                        + " the pool's averages miss endpoints in between");
        assertThat(Loading.lines(Loading.load(Loading.PICKER + source + CONCURRENCY, flags(null, Duration.ofMinutes(2))))).isEmpty();
    }

    @Test
    void thresholdsCountWhereverTheDetectorIsUsed() {
        String detectors = """
                featureGates: [flowControl]
                plugins:
                - {name: slow, type: utilization-detector, parameters: {metricsStalenessThreshold: 5s}}
                - {name: quick, type: utilization-detector, parameters: {metricsStalenessThreshold: 1s}}
                flowControl: {saturationDetector: {pluginRef: slow%s}}
                """;
        LoadOptions everySecond = flags(Duration.ofSeconds(1), LoadOptions.DEFAULT_STALENESS);
        assertThat(Loading.lines(Loading.load(Loading.PICKER + detectors.formatted(""), everySecond))).isEmpty();
        assertThat(Loading.lines(Loading.load(Loading.PICKER + detectors.formatted(", stages: {decode: quick}"), everySecond)))
                .singleElement().asString().contains("every 1s, which is not below the metricsStalenessThreshold of quick (1s)");
    }

    @Test
    void withDefaultsOffAndNoSourceNothingIsReadAndEveryoneWhoNeedsItIsNamed() {
        LoadResult result = Loading.load(Loading.PICKER
                + "plugins: [{type: metrics-data-source}]\ndataLayer: {injectDefaults: false}\n");
        assertThat(Loading.settings(result).picker().metrics()).isNull();
        assertThat(Loading.lines(result)).containsExactly(
                "c:4:1: warning: dataLayer: utilization-detector needs metrics, and none are read: it takes every endpoint for full,"
                        + " always",
                "c:4:29: warning: dataLayer.injectDefaults: false, and sources lists no metrics-data-source: no metrics are read, and the"
                        + " load that model servers report is never known");
    }

    @Test
    void withDefaultsOffASourceNeedsItsExtractor() {
        String yaml = Loading.PICKER
                + "plugins: [{type: metrics-data-source}, {type: core-metrics-extractor}, {type: concurrency-detector}]\n" + CONCURRENCY
                + "dataLayer: {injectDefaults: false, sources: [{pluginRef: metrics-data-source%s}]}\n";
        LoadResult none = Loading.load(yaml.formatted(""));
        assertThat(Loading.settings(none).picker().metrics()).isNull();
        assertThat(Loading.lines(none)).singleElement().asString().contains("has no core-metrics-extractor among its extractors");
        assertThat(Loading.good(yaml.formatted(", extractors: [{pluginRef: core-metrics-extractor}]")).picker().metrics()).isNotNull();
    }

    @Test
    void anExtractorOfAnotherSourceReadsNothing() {
        LoadResult result = Loading.load(Loading.PICKER + """
                plugins:
                - {type: models-data-source}
                - {type: core-metrics-extractor, name: mine, parameters: {defaultEngine: sglang}}
                dataLayer: {sources: [{pluginRef: models-data-source, extractors: [{pluginRef: mine}]}]}
                """);
        assertThat(Loading.lines(result)).contains("c:6:80: warning: dataLayer.sources[0].extractors[0].pluginRef: core-metrics-extractor"
                + " reads nothing but a metrics-data-source, ignored here");
        assertThat(Loading.settings(result).picker().metrics().engines().defaultEngine()).isEqualTo("vllm");
    }
}
