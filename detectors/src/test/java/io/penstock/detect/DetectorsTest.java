package io.penstock.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import io.penstock.flow.testkit.FakeEndpoint;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DetectorsTest {

    @Test
    void allTypesAreKnown() {
        assertThat(Detectors.types()).containsExactly("concurrency-detector", "max-saturation-detector", "utilization-detector");
        assertThat(Detectors.isDetector("concurrency-detector")).isTrue();
        assertThat(Detectors.isDetector("Concurrency-Detector")).isFalse();
        assertThat(Detectors.types()).contains(Detectors.DEFAULT_TYPE);
    }

    @Test
    void everyTypeThatAsksNoOtherIsMadeWithoutParameters() {
        for (String type : List.of("concurrency-detector", "utilization-detector")) {
            assertThat(Detectors.create(type, "mine", Map.of()).name()).isEqualTo("mine");
        }
    }

    @Test
    void anUnknownTypeIsRefused() {
        assertThat(problems("cpu-detector", Map.of())).containsExactly(
                new Problem("", "type: cpu-detector (expected: concurrency-detector, max-saturation-detector, utilization-detector)"));
    }

    @Test
    void anUnknownParameterIsRefusedWithTheKnownOnes() {
        assertThat(problems("concurrency-detector", Map.of("maxconcurrency", 5))).containsExactly(new Problem("maxconcurrency",
                "maxconcurrency: unknown parameter (expected: concurrencyMode, headroom, inFlightLoadProducerName, maxConcurrency, "
                        + "maxTokenConcurrency)"));
    }

    @Test
    void allProblemsComeAtOnce() {
        Map<String, Object> parameters = new TreeMap<>();
        parameters.put("concurrencyMode", "Tokens");
        parameters.put("headroom", -1);
        parameters.put("maxConcurrency", 0);
        parameters.put("maxTokenConcurrency", "many");
        parameters.put("wrong", true);
        assertThat(problems("concurrency-detector", parameters)).containsExactlyInAnyOrder(
                new Problem("concurrencyMode", "concurrencyMode: \"Tokens\" (expected: requests, tokens or hybrid)"),
                new Problem("headroom", "headroom: -1 (expected: 0 or more)"),
                new Problem("maxConcurrency", "maxConcurrency: 0 (expected: 1 or more)"),
                new Problem("maxTokenConcurrency", "maxTokenConcurrency: \"many\" (expected: a whole number up to 9223372036854775807)"),
                new Problem("wrong", "wrong: unknown parameter (expected: concurrencyMode, headroom, inFlightLoadProducerName, "
                        + "maxConcurrency, maxTokenConcurrency)"));
    }

    @Test
    void bothLimitsAreCheckedInEveryMode() {
        for (String mode : List.of("requests", "tokens", "hybrid")) {
            assertThat(problems("concurrency-detector", Map.of("concurrencyMode", mode, "maxConcurrency", -1L, "maxTokenConcurrency", 0)))
                    .extracting(Problem::parameter).containsExactly("maxConcurrency", "maxTokenConcurrency");
        }
    }

    @Test
    void everyRangeOfTheUtilizationDetectorIsChecked() {
        assertThat(problems("utilization-detector", Map.of("queueDepthThreshold", 0, "kvCacheUtilThreshold", 1.01,
                "metricsStalenessThreshold", "0s", "headroom", Double.NaN))).extracting(Problem::message).containsExactly(
                "queueDepthThreshold: 0 (expected: 1 or more)",
                "kvCacheUtilThreshold: 1.01 (expected: more than 0, at most 1)",
                "metricsStalenessThreshold: 0s (expected: more than 0s)",
                "headroom: NaN (expected: 0 or more)");
        assertThat(problems("utilization-detector", Map.of("kvCacheUtilThreshold", 0.0, "headroom", Double.POSITIVE_INFINITY))).hasSize(2);
        assertThat(problems("utilization-detector", Map.of("kvCacheUtilThreshold", Double.NaN))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"200", "fast", "", "-1s"})
    void aDurationIsAPositiveGoDuration(String text) {
        assertThat(problems("utilization-detector", Map.of("metricsStalenessThreshold", text)))
                .extracting(Problem::parameter).containsExactly("metricsStalenessThreshold");
    }

    @Test
    void anUnquotedDurationIsRefused() {
        assertThat(problems("utilization-detector", Map.of("metricsStalenessThreshold", 200))).containsExactly(
                new Problem("metricsStalenessThreshold",
                        "metricsStalenessThreshold: 200 (expected: a Go duration such as 200ms, 1m30s)"));
    }

    @Test
    void wrongScalarTypesAreRefused() {
        assertThat(problems("concurrency-detector", Map.of("maxConcurrency", 5.0))).hasSize(1);
        assertThat(problems("concurrency-detector", Map.of("maxConcurrency", BigInteger.TWO.pow(64)))).hasSize(1);
        assertThat(problems("concurrency-detector", Map.of("concurrencyMode", true))).hasSize(1);
        assertThat(problems("concurrency-detector", Map.of("inFlightLoadProducerName", 7))).hasSize(1);
        assertThat(problems("utilization-detector", Map.of("countDispatchedSinceScrape", "true"))).hasSize(1);
        assertThat(problems("utilization-detector", Map.of("headroom", "0.5"))).hasSize(1);
        assertThat(problems("utilization-detector", Map.of("queueDepthThreshold", List.of(5)))).hasSize(1);
    }

    @Test
    void nullIsTheDefault() {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("maxConcurrency", null);
        assertThat(Detectors.create("concurrency-detector", "c", parameters).fits(FakeEndpoint.loaded(99, 0))).isTrue();
    }

    @Test
    void everyListedParameterIsTaken() {
        Map<String, Map<String, Object>> examples = Map.of(
                "concurrency-detector", Map.of("concurrencyMode", "hybrid", "maxConcurrency", 64, "maxTokenConcurrency", 300_000L,
                        "headroom", 0.1, "inFlightLoadProducerName", "inflight-load-producer"),
                "utilization-detector", Map.of("queueDepthThreshold", 5L, "kvCacheUtilThreshold", 1, "metricsStalenessThreshold", "200ms",
                        "headroom", 0, "countDispatchedSinceScrape", true),
                "max-saturation-detector", Map.of("detectors", List.of("a"), "stages", Map.of("a", List.of("decode"))));
        for (String type : Detectors.types()) {
            Map<String, Object> example = examples.getOrDefault(type, Map.of());
            assertThat(example.keySet()).as(type).isEqualTo(Detectors.parameters(type));
            assertThat(Detectors.create(type, "d", example, name -> Detectors.create("concurrency-detector", name, Map.of()),
                    DetectorEvents.NONE)).isNotNull();
            assertThat(Detectors.notices(type, example)).isEmpty();
        }
        assertThat(Detectors.parameters("cpu-detector")).isEmpty();
    }

    @Test
    void aLargeHeadroomIsNoticedButAllowed() {
        assertThat(Detectors.create("utilization-detector", "u", Map.of("headroom", 1.5))).isNotNull();
        assertThat(Detectors.notices("utilization-detector", Map.of("headroom", 1.5))).containsExactly(
                new Problem("headroom", "headroom: 1.5 (expected: 0 to 1, a fraction)"));
    }

    private static List<Problem> problems(String type, Map<String, ?> parameters) {
        PluginConfigException thrown =
                catchThrowableOfType(PluginConfigException.class, () -> Detectors.create(type, "d", parameters));
        assertThat(thrown).isNotNull();
        for (Problem problem : thrown.problems()) {
            assertThat(thrown).hasMessageContaining(problem.message());
        }
        return thrown.problems();
    }
}
