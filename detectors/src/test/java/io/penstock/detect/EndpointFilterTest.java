package io.penstock.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.EndpointView;
import io.penstock.flow.testkit.FakeEndpoint;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The detectors' other role, spec/flow-control sections 5.1 and 5.2, cases 59 and 60. */
class EndpointFilterTest {

    private static final long NOW = 1_000_000_000;
    private static final long STALE = NOW - 200_000_001;

    @Test
    void utilizationKeepsWhatIsFreshAndBelowBothThresholds() {
        FakeEndpoint idle = FakeEndpoint.sampled(NOW, 4, 0.79);
        FakeEndpoint queued = FakeEndpoint.sampled(NOW, 5, 0.1);
        FakeEndpoint cached = FakeEndpoint.sampled(NOW, 0, 0.8);
        FakeEndpoint stale = FakeEndpoint.sampled(STALE, 0, 0.1);
        FakeEndpoint unknown = FakeEndpoint.loaded(0, 0);
        assertThat(keep(utilization(0), idle, queued, cached, stale, unknown)).containsExactly(idle);
        assertThat(keep(utilization(0), idle.dispatched(50))).as("the filter knows no dispatches").containsExactly(idle);
    }

    @Test
    void utilizationKeepsAllWhereItWouldKeepNone() {
        FakeEndpoint queued = FakeEndpoint.sampled(NOW, 9, 0.1);
        FakeEndpoint stale = FakeEndpoint.sampled(STALE, 0, 0.1);
        assertThat(keep(utilization(0), queued, stale)).containsExactly(queued, stale);
        assertThat(keep(utilization(0))).isEmpty();
    }

    @Test
    void headroomStretchesTheThresholdsOfUtilizationBeyondAFullCache() {
        FakeEndpoint queued = FakeEndpoint.sampled(NOW, 7, 0.1);
        FakeEndpoint full = FakeEndpoint.sampled(NOW, 0, 1.0);
        FakeEndpoint tooMany = FakeEndpoint.sampled(NOW, 8, 0.1);
        assertThat(keep(utilization(0.5), queued, full, tooMany)).containsExactly(queued, full);
    }

    @Test
    void utilizationThatIsNoNumberIsNotKept() {
        FakeEndpoint idle = FakeEndpoint.sampled(NOW, 0, 0.1);
        assertThat(keep(utilization(0), FakeEndpoint.sampled(NOW, 0, Double.NaN), idle)).containsExactly(idle);
    }

    @Test
    void concurrencyKeepsWhatIsBelowTheLimitsOfItsMode() {
        FakeEndpoint idle = FakeEndpoint.loaded(9, 999);
        FakeEndpoint many = FakeEndpoint.loaded(10, 0);
        FakeEndpoint large = FakeEndpoint.loaded(0, 1000);
        assertThat(keep(concurrency("requests", 0), idle, many, large)).containsExactly(idle, large);
        assertThat(keep(concurrency("tokens", 0), idle, many, large)).containsExactly(idle, many);
        assertThat(keep(concurrency("hybrid", 0), idle, many, large)).containsExactly(idle);
    }

    @Test
    void concurrencyMayKeepNone() {
        assertThat(keep(concurrency("requests", 0), FakeEndpoint.loaded(10, 0))).isEmpty();
    }

    @Test
    void headroomStretchesTheLimitsOfConcurrencyCutToWholeOnes() {
        FakeEndpoint ten = FakeEndpoint.loaded(10, 0);
        FakeEndpoint eleven = FakeEndpoint.loaded(11, 0);
        assertThat(keep(concurrency("requests", 0.19), ten, eleven)).as("11.9 is 11").containsExactly(ten);
        assertThat(keep(concurrency("requests", 0.2), ten, eleven)).containsExactly(ten, eleven);
        FakeEndpoint tokens = FakeEndpoint.loaded(0, 1499);
        assertThat(keep(concurrency("tokens", 0.5), tokens, FakeEndpoint.loaded(0, 1500))).containsExactly(tokens);
    }

    @Test
    void nullsAreDropped() {
        FakeEndpoint idle = FakeEndpoint.sampled(NOW, 0, 0.1);
        assertThat(keep(concurrency("requests", 0), null, idle, null)).containsExactly(idle);
        assertThat(keep(utilization(0), null, idle)).containsExactly(idle);
        assertThat(keep(utilization(0), new FakeEndpoint[] {null})).isEmpty();
    }

    private static List<EndpointView> keep(EndpointFilter filter, @Nullable FakeEndpoint... endpoints) {
        return filter.keep(Arrays.asList(endpoints), NOW);
    }

    private static EndpointFilter utilization(double headroom) {
        return (EndpointFilter) Detectors.create("utilization-detector", "u", Map.of("headroom", headroom));
    }

    private static EndpointFilter concurrency(String mode, double headroom) {
        return (EndpointFilter) Detectors.create("concurrency-detector", "c", Map.of("concurrencyMode", mode, "headroom", headroom,
                "maxConcurrency", 10, "maxTokenConcurrency", 1000));
    }
}
