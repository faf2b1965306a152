package io.penstock.detect;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.FakeEndpoint;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DetectorCostTest {

    private static final int CALLS = 20_000;

    static Stream<SaturationDetector> detectors() {
        return Stream.of(utilization(), concurrency("requests"), concurrency("tokens"), concurrency("hybrid"), highest());
    }

    @ParameterizedTest
    @MethodSource("detectors")
    void aCallAllocatesNothing(SaturationDetector detector) {
        List<EndpointView> pool = List.of(FakeEndpoint.sampled(0, 4, 0.3).dispatched(3), FakeEndpoint.sampled(0, 1, 0.9),
                FakeEndpoint.loaded(7, 9));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double sum = calls(detector, pool);
        long before = threads.getCurrentThreadAllocatedBytes();
        sum += calls(detector, pool);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(sum).isPositive();
        assertThat(allocated).isLessThan(CALLS);
    }

    private static double calls(SaturationDetector detector, List<EndpointView> pool) {
        double sum = 0;
        for (int i = 0; i < CALLS; i++) {
            sum += detector.saturation(Stage.DECODE, pool, 5) + detector.saturation(pool, 5);
            sum += detector.load(Stage.PREFILL, pool.get(0), 5);
            if (detector.fits(Stage.DECODE, pool.get(1))) {
                sum++;
            }
        }
        return sum;
    }

    private static SaturationDetector utilization() {
        return Detectors.create("utilization-detector", "utilization", Map.of());
    }

    private static SaturationDetector concurrency(String mode) {
        return Detectors.create("concurrency-detector", mode, Map.of("concurrencyMode", mode));
    }

    private static SaturationDetector highest() {
        Map<String, SaturationDetector> children = Map.of("utilization", utilization(), "hybrid", concurrency("hybrid"));
        return Detectors.create("max-saturation-detector", "highest", Map.of("detectors", List.of("utilization", "hybrid"), "stages",
                Map.of("hybrid", List.of("decode"))), children::get, DetectorEvents.NONE);
    }
}
