package io.penstock.bench;

import io.penstock.detect.DetectorEvents;
import io.penstock.detect.Detectors;
import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a detector costs each dispatch decision, by endpoints in the stage: time in proportion, and with {@code -prof gc} 0 bytes a call.
 * The endpoints are plain values, so that the detectors are measured and not the counters behind them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx256m", "-XX:+UseParallelGC"})
public class DetectorBenchmark {

    @Param({"10", "100", "1000"})
    private int endpoints;

    @Param({"utilization", "requests", "hybrid", "max"})
    private String detector;

    private SaturationDetector asked;
    private List<EndpointView> pool;

    /** A pool that is half full, no two endpoints the same. */
    @Setup(Level.Trial)
    public void setUp() {
        pool = IntStream.range(0, endpoints).<EndpointView>mapToObj(Endpoint::of).toList();
        SaturationDetector utilization = Detectors.create("utilization-detector", "utilization", Map.of());
        SaturationDetector hybrid = concurrency("hybrid");
        asked = switch (detector) {
            case "utilization" -> utilization;
            case "max" -> Detectors.create("max-saturation-detector", "max", Map.of("detectors", List.of("utilization", "hybrid")),
                    Map.of("utilization", utilization, "hybrid", hybrid)::get, DetectorEvents.NONE);
            default -> concurrency(detector);
        };
    }

    private static SaturationDetector concurrency(String mode) {
        return Detectors.create("concurrency-detector", mode, Map.of("concurrencyMode", mode));
    }

    /** One answer about the whole stage. */
    @Benchmark
    public double saturation() {
        return asked.saturation(Stage.DECODE, pool, 0);
    }

    private record Endpoint(String name, int inFlightRequests, long inFlightTokens, int dispatchedSinceSample, EngineSample sample)
            implements EndpointView {

        static Endpoint of(int index) {
            return new Endpoint("default/vllm-" + index, index % 100, index % 7 * 100_000L, index % 3,
                    new EngineSample(0, index % 2, index % 50, index % 80 / 100.0));
        }

        @Override
        public void requestSample() {
            throw new UnsupportedOperationException("requestSample: asked (expected: no endpoint that only its count closes)");
        }
    }
}
