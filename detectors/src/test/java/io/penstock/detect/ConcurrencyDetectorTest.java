package io.penstock.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.testkit.FakeEndpoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConcurrencyDetectorTest {

    @ParameterizedTest
    @ValueSource(strings = {"requests", "tokens", "hybrid"})
    void noEndpointsAreSaturated(String mode) {
        assertThat(detector(mode, 10, 1000).saturation(List.of(), 0)).isEqualTo(1.0);
    }

    @Test
    void requestsAreSummedOverTheWholeLimit() {
        SaturationDetector detector = detector("requests", 10, 1000);
        FakeEndpoint fifteen = FakeEndpoint.loaded(15, 0);
        assertThat(detector.saturation(List.of(fifteen, fifteen), 0)).isEqualTo(1.5);
        assertThat(detector.saturation(List.of(FakeEndpoint.loaded(20, 0), FakeEndpoint.loaded(0, 0)), 0)).isEqualTo(1.0);
    }

    @Test
    void requestsModeDoesNotSeeTokens() {
        SaturationDetector detector = detector("requests", 10, 1000);
        FakeEndpoint endpoint = FakeEndpoint.loaded(1, 5_000);
        assertThat(detector.saturation(List.of(endpoint), 0)).isEqualTo(0.1);
        assertThat(detector.load(endpoint, 0)).isEqualTo(0.1);
        assertThat(detector.fits(endpoint)).isTrue();
    }

    @Test
    void tokensModeDoesNotSeeRequests() {
        SaturationDetector detector = detector("tokens", 10, 1000);
        FakeEndpoint endpoint = FakeEndpoint.loaded(50, 250);
        assertThat(detector.saturation(List.of(endpoint, FakeEndpoint.loaded(0, 0)), 0)).isEqualTo(0.125);
        assertThat(detector.load(endpoint, 0)).isEqualTo(0.25);
        assertThat(detector.fits(endpoint)).isTrue();
    }

    @Test
    void hybridAveragesEachEndpointsFullerSide() {
        SaturationDetector detector = detector("hybrid", 10, 1000);
        FakeEndpoint byRequests = FakeEndpoint.loaded(8, 100);
        FakeEndpoint byTokens = FakeEndpoint.loaded(2, 600);
        assertThat(detector.load(byRequests, 0)).isEqualTo(0.8);
        assertThat(detector.load(byTokens, 0)).isEqualTo(0.6);
        assertThat(detector.saturation(List.of(byRequests, byTokens), 0)).isEqualTo(0.7, within(1e-12));
    }

    @Test
    void hybridFitsOnlyUnderBothLimits() {
        SaturationDetector detector = detector("hybrid", 10, 1000);
        assertThat(detector.fits(FakeEndpoint.loaded(9, 999))).isTrue();
        assertThat(detector.fits(FakeEndpoint.loaded(10, 0))).isFalse();
        assertThat(detector.fits(FakeEndpoint.loaded(0, 1000))).isFalse();
    }

    /** Case FC-14: the count is live, not a copy, and goes past 1.0. */
    @Test
    void theFifthRequestOfFourIsSeen() {
        SaturationDetector detector = detector("requests", 4, 1000);
        FakeEndpoint endpoint = FakeEndpoint.loaded(3, 0);
        List<EndpointView> pool = List.of(endpoint);
        assertThat(detector.saturation(pool, 0)).isEqualTo(0.75);
        assertThat(detector.fits(endpoint)).isTrue();
        endpoint.requests(4);
        assertThat(detector.saturation(pool, 0)).isEqualTo(1.0);
        assertThat(detector.fits(endpoint)).isFalse();
        endpoint.requests(5);
        assertThat(detector.saturation(pool, 0)).isEqualTo(1.25);
    }

    @ParameterizedTest
    @ValueSource(strings = {"requests", "tokens", "hybrid"})
    void aFullEndpointIsExactlyOneAtEveryLimit(String mode) {
        for (int limit = 1; limit <= 2_000; limit++) {
            SaturationDetector detector = detector(mode, limit, limit);
            FakeEndpoint full = FakeEndpoint.loaded(limit, limit);
            assertThat(detector.saturation(List.of(full, full, full), 0)).as("limit %d", limit).isEqualTo(1.0);
            assertThat(detector.load(full, 0)).as("limit %d", limit).isEqualTo(1.0);
            FakeEndpoint oneLess = FakeEndpoint.loaded(limit - 1, limit - 1);
            assertThat(detector.saturation(List.of(oneLess), 0)).as("limit %d", limit).isLessThan(1.0);
        }
    }

    @Test
    void hugeCountsNeverWrapAround() {
        FakeEndpoint huge = FakeEndpoint.loaded(Integer.MAX_VALUE, Long.MAX_VALUE);
        List<EndpointView> pool = List.of(huge, huge, huge);
        assertThat(detector("tokens", 1, Long.MAX_VALUE).saturation(pool, 0)).isEqualTo(1.0);
        assertThat(detector("tokens", 1, 1).saturation(pool, 0)).isGreaterThan(1e18);
        assertThat(detector("requests", Long.MAX_VALUE, 1).saturation(pool, 0)).isPositive().isLessThan(1e-9);
    }

    @Test
    void theDefaultLimitIsAHundredRequests() {
        SaturationDetector detector = Detectors.create("concurrency-detector", "c", Map.of());
        assertThat(detector.name()).isEqualTo("c");
        assertThat(detector.saturation(List.of(FakeEndpoint.loaded(100, 0)), 0)).isEqualTo(1.0);
        assertThat(detector.fits(FakeEndpoint.loaded(100, 0))).isFalse();
        assertThat(detector.fits(FakeEndpoint.loaded(99, 5_000_000))).isTrue();
    }

    @Test
    void headroomIsNoPartOfTheGateOrTheHardLimit() {
        SaturationDetector detector = Detectors.create("concurrency-detector", "c", Map.of("maxConcurrency", 10, "headroom", 0.5));
        assertThat(detector.saturation(List.of(FakeEndpoint.loaded(10, 0)), 0)).isEqualTo(1.0);
        assertThat(detector.fits(FakeEndpoint.loaded(10, 0))).isFalse();
    }

    private static SaturationDetector detector(String mode, long requests, long tokens) {
        return Detectors.create("concurrency-detector", "c",
                Map.of("concurrencyMode", mode, "maxConcurrency", requests, "maxTokenConcurrency", tokens));
    }
}
