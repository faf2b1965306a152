package io.penstock.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.Gate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The detector of spec/flow-control section 14. */
class MaxSaturationDetectorTest {

    private static final String TYPE = "max-saturation-detector";
    private static final List<EndpointView> POOL = List.of(FakeEndpoint.loaded(0, 0));

    private final Map<String, SaturationDetector> others = new LinkedHashMap<>();
    private final Map<String, Double> series = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();

    private final Gate tokens = named("tokens");
    private final Gate requests = named("requests");

    private Gate named(String name) {
        Gate gate = Gate.opened();
        others.put(name, new Named(name, gate));
        return gate;
    }

    @Test
    void theHighestChildWinsAndEachIsASeries() {
        SaturationDetector max = max(Map.of("detectors", List.of("tokens", "requests")));
        tokens.set(0.3);
        requests.set(1.7);
        assertThat(max.saturation(Stage.DECODE, POOL, 0)).as("never clamped").isEqualTo(1.7);
        assertThat(max.load(Stage.DECODE, POOL.get(0), 0)).isEqualTo(1.7);
        requests.set(0.1);
        assertThat(max.saturation(Stage.PREFILL, POOL, 0)).isEqualTo(0.3);
        assertThat(series).containsExactly(Map.entry("tokens/DECODE", 0.3), Map.entry("requests/DECODE", 1.7),
                Map.entry("tokens/PREFILL", 0.3), Map.entry("requests/PREFILL", 0.1));
    }

    @Test
    void aChildCountsForItsStagesAndWithoutAnEntryForAll() {
        SaturationDetector max = max(Map.of("detectors", List.of("tokens", "requests"), "stages", Map.of("tokens", List.of("prefill"))));
        tokens.set(2.0);
        requests.set(0.5);
        assertThat(max.saturation(Stage.PREFILL, POOL, 0)).isEqualTo(2.0);
        assertThat(max.saturation(Stage.DECODE, POOL, 0)).isEqualTo(0.5);
        assertThat(max.load(Stage.DECODE, POOL.get(0), 0)).isEqualTo(0.5);
        assertThat(series).doesNotContainKey("tokens/DECODE");
    }

    @Test
    void seenIsTheHighestThatAChildOfTheStageHasSeen() {
        others.put("broken", new Broken());
        SaturationDetector max = max(Map.of("detectors", List.of("tokens", "requests", "broken"),
                "stages", Map.of("tokens", List.of("prefill"))));
        tokens.assume(1.0, Double.NaN);
        requests.assume(2.0, 0.3);
        assertThat(max.observed(Stage.PREFILL, POOL, 0)).isEqualTo(0.3);
        tokens.set(0.6);
        assertThat(max.observed(Stage.PREFILL, POOL, 0)).isEqualTo(0.6);
        assertThat(max.observed(Stage.DECODE, POOL, 0)).isEqualTo(0.3);
        requests.assume(2.0, Double.NaN);
        assertThat(max.observed(Stage.DECODE, POOL, 0)).isNaN();
        assertThat(failures).containsOnly("broken");
        assertThat(series).isEmpty();
    }

    @Test
    void aPoolThatIsNotSplitRunsEveryChild() {
        SaturationDetector max = max(Map.of("detectors", List.of("tokens", "requests"),
                "stages", Map.of("tokens", List.of("prefill"), "requests", List.of("decode"))));
        tokens.set(0.9);
        requests.set(0.2);
        assertThat(max.saturation(POOL, 0)).isEqualTo(0.9);
        assertThat(max.saturation(null, POOL, 0)).isEqualTo(0.9);
        assertThat(max.load(POOL.get(0), 0)).isEqualTo(0.9);
        assertThat(series).containsExactly(Map.entry("tokens/null", 0.9), Map.entry("requests/null", 0.2));
    }

    @Test
    void aStageForWhichNoChildCountsIsZeroAndTakesAnything() {
        SaturationDetector max = max(Map.of("detectors", List.of("tokens"), "stages", Map.of("tokens", List.of("prefill"))));
        tokens.close();
        assertThat(max.saturation(Stage.DECODE, POOL, 0)).isZero();
        assertThat(max.load(Stage.DECODE, POOL.get(0), 0)).isZero();
        assertThat(max.fits(Stage.DECODE, POOL.get(0))).isTrue();
        assertThat(series).isEmpty();
    }

    @Test
    void noEndpointsAreSaturated() {
        SaturationDetector max = max(Map.of("detectors", List.of("tokens"), "stages", Map.of("tokens", List.of("prefill"))));
        assertThat(max.saturation(List.of(), 0)).isEqualTo(1.0);
        assertThat(max.saturation(Stage.DECODE, List.of(), 0)).isEqualTo(1.0);
    }

    @Test
    void oneMoreRequestFitsOnlyWhereEveryChildThatCountsSaysSo() {
        others.put("tight", Detectors.create("concurrency-detector", "tight", Map.of("maxConcurrency", 2)));
        SaturationDetector max = max(Map.of("detectors", List.of("tight", "requests"), "stages", Map.of("tight", List.of("prefill"))));
        EndpointView full = FakeEndpoint.loaded(2, 0);
        assertThat(max.fits(full)).isFalse();
        assertThat(max.fits(Stage.PREFILL, full)).isFalse();
        assertThat(max.fits(Stage.DECODE, full)).isTrue();
        assertThat(max.fits(Stage.PREFILL, FakeEndpoint.loaded(1, 0))).isTrue();
    }

    @Test
    void aChildThatThrowsOrIsNoNumberCountsAsFull() {
        others.put("broken", new Broken());
        SaturationDetector max = max(Map.of("detectors", List.of("broken", "tokens")));
        assertThat(max.saturation(Stage.DECODE, POOL, 0)).isEqualTo(1.0);
        assertThat(max.load(POOL.get(0), 0)).isEqualTo(1.0);
        assertThat(max.fits(POOL.get(0))).isFalse();
        max.left(Stage.DECODE);
        assertThat(failures).containsExactly("broken", "broken", "broken", "broken");

        tokens.set(Double.NaN);
        SaturationDetector alone = max(Map.of("detectors", List.of("tokens")));
        assertThat(alone.saturation(Stage.DECODE, POOL, 0)).isEqualTo(1.0);
        assertThat(alone.load(POOL.get(0), 0)).isEqualTo(1.0);
        assertThat(series).containsEntry("tokens/DECODE", 1.0);
    }

    @Test
    void itComposesWithItself() {
        tokens.set(0.6);
        requests.set(0.4);
        others.put("inner", max("inner", Map.of("detectors", List.of("tokens"), "stages", Map.of("tokens", List.of("prefill")))));
        SaturationDetector outer = max(Map.of("detectors", List.of("inner", "requests")));
        assertThat(outer.saturation(Stage.PREFILL, POOL, 0)).isEqualTo(0.6);
        assertThat(outer.saturation(Stage.DECODE, POOL, 0)).isEqualTo(0.4);
        assertThat(series).containsEntry("inner/PREFILL", 0.6).containsEntry("inner/DECODE", 0.0).containsEntry("tokens/PREFILL", 0.6);
        outer.left(Stage.PREFILL);
        assertThat(series).containsOnlyKeys("inner/DECODE", "requests/DECODE");
    }

    @Test
    void theSeriesOfAStageGoWhenItIsLeft() {
        SaturationDetector max = max(Map.of("detectors", List.of("tokens", "requests"), "stages", Map.of("tokens", List.of("prefill"))));
        max.saturation(Stage.PREFILL, POOL, 0);
        max.saturation(Stage.DECODE, POOL, 0);
        max.left(Stage.PREFILL);
        assertThat(series).containsOnlyKeys("requests/DECODE");
        max.saturation(Stage.PREFILL, POOL, 0);
        assertThat(series).containsOnlyKeys("requests/DECODE", "tokens/PREFILL", "requests/PREFILL");
    }

    @Test
    void whatIsWrongIsNamedByItsPath() {
        Map<String, Object> stages = new LinkedHashMap<>();
        stages.put("a", List.of("prefill", "encode", "prefill"));
        stages.put("c", List.of("decode"));
        stages.put("b", List.of());
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("detectors", List.of("a", "b", "a", "", "max", 7L));
        parameters.put("stages", stages);
        parameters.put("weights", 1L);
        assertThat(problems(parameters)).containsExactly(
                new Problem("weights", "weights: unknown parameter (expected: detectors, stages)"),
                new Problem("detectors[2]", "detectors[2]: a (expected: each name once)"),
                new Problem("detectors[3]", "detectors[3]: \"\" (expected: a detector's name)"),
                new Problem("detectors[4]", "detectors[4]: max (expected: another detector, not itself)"),
                new Problem("detectors[5]", "detectors[5]: 7 (expected: a detector's name)"),
                new Problem("stages.a[1]", "stages.a[1]: \"encode\" (expected: prefill or decode)"),
                new Problem("stages.a[2]", "stages.a[2]: prefill (expected: each stage once)"),
                new Problem("stages.c", "stages.c: not in detectors (expected: a, b)"),
                new Problem("stages.b", "stages.b: [] (expected: a list of prefill, decode)"));
    }

    @Test
    void atLeastOneChildIsNeeded() {
        assertThat(problems(Map.of())).containsExactly(
                new Problem("detectors", "detectors: missing (expected: a list of detectors' names)"));
        assertThat(problems(Map.of("detectors", List.of()))).containsExactly(
                new Problem("detectors", "detectors: [] (expected: at least one name)"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"detectors", "stages"})
    void aWordIsNoListAndNoMap(String parameter) {
        Map<String, Object> parameters = new LinkedHashMap<>(Map.of("detectors", List.of("a")));
        parameters.put(parameter, "a");
        assertThat(problems(parameters)).extracting(Problem::parameter).containsExactly(parameter);
        assertThat(problems(Map.of("detectors", List.of("a"), "stages", Map.of("a", "prefill")))).containsExactly(
                new Problem("stages.a", "stages.a: \"prefill\" (expected: a list of prefill, decode)"));
    }

    @Test
    void itsChildrenAreKnownBeforeItIsMade() {
        assertThat(Detectors.children(TYPE, "max", Map.of("detectors", List.of("b", "a")))).containsExactly("b", "a");
        assertThat(Detectors.children("utilization-detector", "u", Map.of())).isEmpty();
    }

    private static List<Problem> problems(Map<String, ?> parameters) {
        PluginConfigException thrown =
                catchThrowableOfType(PluginConfigException.class, () -> Detectors.check(TYPE, "max", parameters));
        assertThat(thrown).isNotNull();
        return thrown.problems();
    }

    private SaturationDetector max(Map<String, ?> parameters) {
        return max("max", parameters);
    }

    private SaturationDetector max(String name, Map<String, ?> parameters) {
        return Detectors.create(TYPE, name, parameters, others::get, new DetectorEvents() {
            @Override
            public void measured(String detector, @Nullable Stage stage, double saturation) {
                series.put(detector + '/' + stage, saturation);
            }

            @Override
            public void left(String detector, @Nullable Stage stage) {
                series.remove(detector + '/' + stage);
            }

            @Override
            public void failed(String detector, Throwable cause) {
                failures.add(detector);
            }
        });
    }

    private record Named(String name, Gate gate) implements SaturationDetector {

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            return gate.saturation(endpoints, nowNanos);
        }

        @Override
        public double observed(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
            return gate.observed(stage, endpoints, nowNanos);
        }

        @Override
        public double load(EndpointView endpoint, long nowNanos) {
            return gate.load(endpoint, nowNanos);
        }

        @Override
        public boolean fits(EndpointView endpoint) {
            return true;
        }
    }

    private record Broken() implements SaturationDetector {

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void left(@Nullable Stage stage) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public double load(EndpointView endpoint, long nowNanos) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public boolean fits(EndpointView endpoint) {
            throw new IllegalStateException("on purpose");
        }
    }
}
