package io.penstock.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UtilizationDetectorTest {

    private final ManualClock clock = new ManualClock();
    private final List<String> stale = new ArrayList<>();
    private final SaturationDetector detector = create(Map.of());

    @Test
    void noEndpointsAreSaturatedAndNoneIsStale() {
        assertThat(saturation()).isEqualTo(1.0);
        assertThat(stale).containsExactly("u:0");
    }

    @Test
    void theLargerRatioCounts() {
        assertThat(saturation(sampled(10, 0.0))).isEqualTo(2.0);
        assertThat(saturation(sampled(0, 0.4))).isEqualTo(0.5);
        assertThat(saturation(sampled(1, 0.8))).isEqualTo(1.0);
        assertThat(saturation(sampled(5, 0.1))).isEqualTo(1.0);
    }

    @Test
    void thePoolIsTheMean() {
        assertThat(saturation(sampled(10, 0.0), sampled(0, 0.0))).isEqualTo(1.0);
        assertThat(saturation(sampled(1, 0.0), sampled(2, 0.0), sampled(3, 0.0))).isEqualTo(0.4, within(1e-12));
    }

    @Test
    void anEndpointNeverSampledIsFullAndStale() {
        FakeEndpoint unknown = FakeEndpoint.loaded(0, 0);
        assertThat(detector.load(unknown, clock.getAsLong())).isEqualTo(1.0);
        assertThat(saturation(unknown, sampled(0, 0.0))).isEqualTo(0.5);
        assertThat(stale).containsExactly("u:1");
    }

    @Test
    void seenIsTheMeanOverTheFreshAloneAndNothingWhereNoneIs() {
        FakeEndpoint unknown = FakeEndpoint.loaded(0, 0);
        assertThat(observed(unknown, sampled(6, 0.0), sampled(4, 0.0))).isEqualTo(1.0);
        assertThat(observed(unknown, sampled(1, 0.0).dispatched(1))).isEqualTo(0.4);
        FakeEndpoint full = sampled(500, 1.0);
        clock.advanceMillis(201);
        assertThat(observed(full, unknown)).isNaN();
        assertThat(observed()).isNaN();
        assertThat(stale).as("only looked at").isEmpty();
    }

    @Test
    void aSampleIsStaleJustPastTheThreshold() {
        FakeEndpoint endpoint = sampled(0, 0.0);
        clock.advanceMillis(200);
        assertThat(saturation(endpoint)).isZero();
        clock.advance(Duration.ofNanos(1));
        assertThat(saturation(endpoint)).isEqualTo(1.0);
        assertThat(detector.load(endpoint, clock.getAsLong())).isEqualTo(1.0);
        assertThat(stale).containsExactly("u:0", "u:1");
    }

    @Test
    void aStaleEndpointIsExactlyOneHoweverFullItWas() {
        FakeEndpoint endpoint = sampled(500, 1.0).dispatched(50);
        clock.advanceMillis(201);
        assertThat(saturation(endpoint)).isEqualTo(1.0);
        assertThat(endpoint.samplesAsked()).isZero();
    }

    @Test
    void ageIsRightWhenTheClockWrapsAround() {
        FakeEndpoint endpoint = sampled(0, 0.0);
        clock.advanceMillis(1_500);
        assertThat(clock.getAsLong()).isNegative();
        assertThat(saturation(endpoint)).isEqualTo(1.0);
        FakeEndpoint acrossTheWrap = FakeEndpoint.sampled(Long.MAX_VALUE - 1_000, 0, 0.0);
        assertThat(detector.saturation(List.of(acrossTheWrap), Long.MIN_VALUE + 1_000)).isZero();
    }

    @Test
    void aSampleNewerThanTheReadersClockIsFresh() {
        assertThat(saturation(FakeEndpoint.sampled(clock.getAsLong() + 1_000_000, 1, 0.0))).isEqualTo(0.2);
    }

    /** Case FC-10: one scrape may not let a whole burst through. */
    @Test
    void whatWasDispatchedSinceTheSampleCountsAsWaiting() {
        FakeEndpoint endpoint = sampled(2, 0.0);
        int let = 0;
        while (saturation(endpoint) < 1.0) {
            endpoint.dispatched(++let);
        }
        assertThat(let).isEqualTo(3);
    }

    /** An engine that is not full takes a request for each that it has done with, without a sample in between. */
    @Test
    void whatHasEndedSinceTheSampleMakesRoomForAsMany() {
        FakeEndpoint endpoint = sampled(0, 0.0).dispatched(5).ended(3);
        assertThat(saturation(endpoint)).isEqualTo(0.4);
        assertThat(detector.load(endpoint, clock.getAsLong())).isEqualTo(0.4);
        assertThat(saturation(endpoint.dispatched(8))).isEqualTo(1.0);
    }

    @Test
    void aQueueThatTheSampleSawGetsShorterByWhatHasEndedAndNeverNegative() {
        assertThat(saturation(sampled(7, 0.0).ended(3))).isEqualTo(0.8);
        assertThat(saturation(sampled(3, 0.0).dispatched(1).ended(9))).isZero();
        assertThat(saturation(sampled(7, 0.8).ended(7))).as("the cache is as the sample saw it").isEqualTo(1.0);
    }

    @Test
    void theCountCanBeTurnedOff() {
        SaturationDetector trusting = create(Map.of("countDispatchedSinceScrape", false));
        FakeEndpoint endpoint = sampled(2, 0.0).dispatched(50).ended(9);
        assertThat(trusting.saturation(List.of(endpoint), clock.getAsLong())).isEqualTo(0.4);
        assertThat(trusting.load(endpoint, clock.getAsLong())).isEqualTo(0.4);
        assertThat(endpoint.samplesAsked()).isZero();
    }

    @Test
    void anEndpointClosedOnlyByTheCountIsSampledAgain() {
        FakeEndpoint closedByCount = sampled(4, 0.0).dispatched(1);
        FakeEndpoint closedByItself = sampled(5, 0.0).dispatched(1);
        FakeEndpoint open = sampled(0, 0.0).dispatched(1);
        saturation(closedByCount, closedByItself, open, sampled(0, 0.0), sampled(0, 0.0));
        assertThat(closedByCount.samplesAsked()).isOne();
        assertThat(closedByItself.samplesAsked()).isZero();
        assertThat(open.samplesAsked()).isZero();
    }

    @Test
    void aPoolClosedOnlyByTheCountIsSampledAgainWhereAnythingWasCounted() {
        FakeEndpoint closedByItself = sampled(7, 0.0);
        FakeEndpoint counted = sampled(1, 0.0).dispatched(2);
        assertThat(saturation(closedByItself, counted)).isEqualTo(1.0);
        assertThat(counted.samplesAsked()).isOne();
        assertThat(closedByItself.samplesAsked()).isZero();
    }

    @Test
    void rankingAsksForNoSample() {
        FakeEndpoint endpoint = sampled(4, 0.0).dispatched(1);
        assertThat(detector.load(endpoint, clock.getAsLong())).isEqualTo(1.0);
        assertThat(endpoint.samplesAsked()).isZero();
        assertThat(detector.fits(endpoint)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, -Double.NaN})
    void aSampleThatIsNoNumberFailsClosed(double usage) {
        assertThat(saturation(sampled(0, usage))).isEqualTo(1.0);
    }

    @Test
    void countsNeverWrapAround() {
        assertThat(saturation(sampled(Integer.MAX_VALUE, 0.0).dispatched(Integer.MAX_VALUE))).isGreaterThan(8e8);
    }

    @Test
    void thresholdsAreTakenFromTheParameters() {
        SaturationDetector custom = create(Map.of("queueDepthThreshold", 20, "kvCacheUtilThreshold", 0.5,
                "metricsStalenessThreshold", "1s", "headroom", 2));
        FakeEndpoint endpoint = sampled(5, 0.25);
        clock.advanceMillis(1_000);
        assertThat(custom.saturation(List.of(endpoint), clock.getAsLong())).isEqualTo(0.5);
    }

    private double saturation(EndpointView... pool) {
        return detector.saturation(List.of(pool), clock.getAsLong());
    }

    private double observed(EndpointView... pool) {
        return detector.observed(null, List.of(pool), clock.getAsLong());
    }

    private FakeEndpoint sampled(int waiting, double kvCacheUsage) {
        return FakeEndpoint.sampled(clock.getAsLong(), waiting, kvCacheUsage);
    }

    private SaturationDetector create(Map<String, ?> parameters) {
        return Detectors.create("utilization-detector", "u", parameters, name -> detector, new DetectorEvents() {
            @Override
            public void stale(String name, @Nullable Stage stage, int endpoints, long nowNanos) {
                stale.add(name + ':' + endpoints);
            }
        });
    }
}
