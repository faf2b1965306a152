package io.penstock.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.detect.DetectorEvents;
import io.penstock.flow.EngineSample;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.FakeEndpoint;
import org.junit.jupiter.api.Test;

/** Detectors of detectors and their series, from the document on. */
class DetectionTest {

    private static final String CHILDREN = "llm_d_epp_flow_control_detector_saturation";
    private static final String STALE = "llm_d_epp_flow_control_stale_endpoints";
    private static final String HEAD = """
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            featureGates: [flowControl]
            plugins:
            - {type: concurrency-detector, name: tokens, parameters: {concurrencyMode: tokens, maxTokenConcurrency: 1000}}
            - {type: concurrency-detector, name: requests, parameters: {maxConcurrency: 10}}
            - type: max-saturation-detector
              name: highest
              parameters:
                detectors: [tokens, requests]
                stages: {tokens: [prefill]}
            flowControl:
            """;

    @Test
    void eachChildIsASeriesThatComesAndGoesWithItsStage() {
        try (GatedPool pool = new GatedPool(HEAD + "  saturationDetector: {pluginRef: highest}\n")) {
            FakeEndpoint prefill = loaded("p", "prefill", 1, 500);
            FakeEndpoint decode = loaded("d", "decode", 2, 9_000);
            pool.members(prefill, decode);
            assertThat(pool.dispatches()).as("tokens of a decode endpoint do not count").isTrue();
            assertThat(pool.series(CHILDREN)).containsExactlyInAnyOrder("{detector=\"tokens\",stage=\"prefill\"} 0.5",
                    "{detector=\"requests\",stage=\"prefill\"} 0.1", "{detector=\"requests\",stage=\"decode\"} 0.2");

            pool.members(decode);
            pool.flow.tick();
            assertThat(pool.series(CHILDREN)).containsExactly("{detector=\"requests\",stage=\"decode\"} 0.2");

            pool.members(loaded("one", "", 5, 100));
            pool.flow.tick();
            assertThat(pool.series(CHILDREN)).as("not split: every child").containsExactlyInAnyOrder(
                    "{detector=\"tokens\",stage=\"\"} 0.1", "{detector=\"requests\",stage=\"\"} 0.5");

            pool.members(prefill);
            pool.flow.tick();
            assertThat(pool.series(CHILDREN)).hasSize(2).allMatch(line -> line.contains("prefill"));
        }
    }

    @Test
    void aStageWithoutAChildHoldsNothingBack() {
        String document = HEAD.replace("[tokens, requests]", "[tokens]") + "  saturationDetector: {pluginRef: highest}\n";
        try (GatedPool pool = new GatedPool(document)) {
            pool.members(loaded("d", "decode", 900, 9_000));
            assertThat(pool.dispatches()).isTrue();
            assertThat(pool.flow.saturation().decode()).isEqualTo(0.0);
            pool.members(loaded("p", "prefill", 0, 1_000), loaded("d", "decode", 0, 0));
            assertThat(pool.dispatches()).isFalse();
        }
    }

    @Test
    void aStageMayNameIt() {
        try (GatedPool pool = new GatedPool(HEAD + "  saturationDetector: {pluginRef: requests, stages: {prefill: highest}}\n")) {
            pool.members(loaded("p", "prefill", 0, 1_500), loaded("d", "decode", 5, 0));
            assertThat(pool.dispatches()).isFalse();
            assertThat(pool.flow.saturation().prefill()).isEqualTo(1.5);
            assertThat(pool.flow.saturation().decode()).isEqualTo(0.5);
        }
    }

    @Test
    void aNameIsOneInstanceWhoeverAsksIt() {
        Detection detection = Detection.of(GatedPool.settings(HEAD
                + "  saturationDetector: {pluginRef: requests, stages: {prefill: requests, decode: highest}}\n"), DetectorEvents.NONE);
        assertThat(detection.stages().get(Stage.PREFILL)).isSameAs(detection.byDefault());
        FakeEndpoint full = loaded("d", "decode", 10, 0);
        assertThat(detection.stages().get(Stage.DECODE).fits(Stage.DECODE, full)).isFalse();
    }

    @Test
    void placementIsAskedForThePartThatAnEndpointPlays() {
        Detection detection = Detection.of(GatedPool.settings(HEAD + "  saturationDetector: {pluginRef: highest}\n"), DetectorEvents.NONE);
        FakeEndpoint endpoint = loaded("d", "decode", 2, 2_000);
        SaturationDetector decode = detection.forPlacement().decode();
        SaturationDetector prefill = detection.forPlacement().prefill();
        assertThat(decode.load(Stage.DECODE, endpoint, 0)).isEqualTo(0.2);
        assertThat(decode.fits(Stage.DECODE, endpoint)).isTrue();
        assertThat(prefill.load(Stage.PREFILL, endpoint, 0)).isEqualTo(2.0);
        assertThat(prefill.fits(Stage.PREFILL, endpoint)).isFalse();
        assertThat(decode.load(null, endpoint, 0)).as("not split: every child").isEqualTo(2.0);
        assertThat(decode.fits(null, endpoint)).isFalse();
    }

    @Test
    void staleEndpointsOfADetectorAreThoseOfAllItsStages() {
        try (GatedPool pool = new GatedPool(HEAD + "  saturationDetector: {}\n")) {
            FakeEndpoint fresh = loaded("d", "decode", 0, 0);
            fresh.sample(new EngineSample(pool.clock.getAsLong(), 0, 0, 0.1));
            pool.members(loaded("p", "prefill", 0, 0), fresh);
            pool.flow.tick();
            assertThat(pool.series(STALE)).as("the decode stage is asked last and is well")
                    .containsExactly("{detector=\"utilization-detector\"} 1.0");
            pool.members(fresh);
            pool.flow.tick();
            assertThat(pool.series(STALE)).containsExactly("{detector=\"utilization-detector\"} 0.0");
            pool.members();
            pool.flow.tick();
            assertThat(pool.series(STALE)).containsExactly("{detector=\"utilization-detector\"} 0.0");
        }
    }

    @Test
    void aDetectorThatCountsNothingStaleHasNoSuchSeries() {
        try (GatedPool pool = new GatedPool(HEAD + "  saturationDetector: {pluginRef: requests}\n")) {
            pool.members(loaded("d", "decode", 0, 0));
            pool.flow.tick();
            assertThat(pool.series(STALE)).isEmpty();
            assertThat(pool.series(CHILDREN)).isEmpty();
        }
    }

    private static FakeEndpoint loaded(String name, String role, int requests, long tokens) {
        FakeEndpoint endpoint = new FakeEndpoint(name, role);
        endpoint.requests(requests);
        endpoint.tokens(tokens);
        return endpoint;
    }
}
