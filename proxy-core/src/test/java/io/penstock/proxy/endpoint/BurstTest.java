package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.detect.Detectors;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowController;
import io.penstock.flow.GateOn;
import io.penstock.flow.PoolView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.engine.FlowControllers;
import io.penstock.flow.testkit.ManualClock;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Case FC-10: between two scrapes neither too much nor too little goes out. The engine is simulated, flow control and detector are not. */
class BurstTest {

    /** Requests in the engine's queue at which the detector closes the gate. */
    private static final int THRESHOLD = 5;
    private static final int TICK_MILLIS = 10;

    private final ManualClock clock = new ManualClock();
    private final List<Integer> order = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBurstWaitsInTheBandsAndLeavesByPriority(boolean onDemand) {
        SimulatedEngine engine = new SimulatedEngine(clock, 10, Duration.ofSeconds(1), onDemand);
        FlowController flow = flow(engine);
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int priority = new int[] {-5, 10, 0, 10}[i % 4];
            expected.add(priority);
            send(flow, priority);
        }
        expected.sort(Collections.reverseOrder());
        assertThat(order).as("nothing is known of the engine yet").isEmpty();
        int millis = runUntilDone(engine, flow, 200, 60_000);
        assertThat(engine.mostQueued()).isBetween(1, THRESHOLD);
        assertThat(order).isEqualTo(expected);
        assertThat(engine.scrapes()).isLessThanOrEqualTo(onDemand ? millis / 10 : millis / 1_000 + 1);
        assertThat(flow.bands()).allMatch(band -> band.requests() == 0);
    }

    /** The engine could do it in 6 s: 20 rounds of 10 requests. */
    @Test
    void aSampleOnDemandKeepsTheEngineBusy() {
        SimulatedEngine engine = new SimulatedEngine(clock, 10, Duration.ofSeconds(1), true);
        FlowController flow = flow(engine);
        for (int i = 0; i < 200; i++) {
            send(flow, 0);
        }
        assertThat(runUntilDone(engine, flow, 200, 10_000)).isBetween(6_000, 6_100);
    }

    /**
     * An engine with room for all 64 that are asked for gets them, not a burst a sample; the shorter its requests, the fewer of them live
     * long enough for a sample to see them.
     */
    @ParameterizedTest
    @CsvSource({"3, 5", "30, 30", "100, 64", "300, 64"})
    void anIdleEngineIsNotThrottled(int workMillis, int expectedAtATime) {
        Random random = new Random(workMillis);
        SimulatedEngine engine = new SimulatedEngine(clock, 256, Duration.ofMillis(50), true);
        engine.workMillis = () -> workMillis / 2 + random.nextInt(workMillis);
        assertThat(doneInASecond(engine, 64)).isGreaterThan(9 * expectedAtATime * 1_000 / workMillis / 10);
        assertThat(engine.mostQueued()).isZero();
    }

    /** Its queue holds 10 ms of work, and the next sample of a full queue is 50 ms away. */
    @Test
    void aQuickEngineDoesNotRunDryBetweenTwoSamples() {
        Random random = new Random(1);
        SimulatedEngine engine = new SimulatedEngine(clock, 10, Duration.ofMillis(50), true);
        engine.workMillis = () -> 10 + random.nextInt(20);
        assertThat(doneInASecond(engine, 64)).isGreaterThan(9 * 10 * 1_000 / 20 / 10);
        assertThat(engine.mostQueued()).isBetween(1, THRESHOLD);
    }

    /** Requests done in the second second, with that many always asked for. */
    private int doneInASecond(SimulatedEngine engine, int demand) {
        FlowController flow = flow(engine);
        int sent = 0;
        int before = 0;
        for (int milli = 0; milli < 2_000; milli++) {
            for (; sent - engine.done() < demand; sent++) {
                send(flow, 0);
            }
            step(engine, flow, milli);
            before = milli == 1_000 ? engine.done() : before;
        }
        return engine.done() - before;
    }

    /** Any engine, any interval, pages that take long, clients that read slowly: its queue is never longer than the detector allows. */
    @Test
    void theQueueOfTheEngineNeverGoesPastTheThreshold() {
        for (int seed = 0; seed < 150; seed++) {
            Random random = new Random(seed);
            SimulatedEngine engine = new SimulatedEngine(clock, 1 + random.nextInt(20), Duration.ofMillis(50 + random.nextInt(1_000)),
                    random.nextBoolean());
            engine.pageMillis = 2 + random.nextInt(40);
            engine.workMillis = () -> 1 + random.nextInt(120);
            int slowest = random.nextInt(200);
            engine.readMillis = () -> random.nextInt(3) == 0 ? random.nextInt(slowest + 1) : 0;
            FlowController flow = flow(engine);
            int sent = 0;
            for (int milli = 0; milli < 1_500; milli++) {
                for (int burst = random.nextInt(20) == 0 ? random.nextInt(60) : 0; burst > 0; burst--) {
                    send(flow, random.nextInt(3) * 10 - 10);
                    sent++;
                }
                step(engine, flow, milli);
                assertThat(engine.mostQueued()).as("seed %d after %d ms", seed, milli).isLessThanOrEqualTo(THRESHOLD);
            }
            assertThat(sent).isPositive();
            flow.shutdown();
        }
        assertThat(order.size()).isGreaterThan(10_000);
    }

    private int runUntilDone(SimulatedEngine engine, FlowController flow, int requests, int most) {
        for (int milli = 0; milli < most; milli++) {
            step(engine, flow, milli);
            if (engine.done() == requests) {
                return milli;
            }
        }
        throw new AssertionError("done after " + most + " ms: " + engine.done());
    }

    private static void step(SimulatedEngine engine, FlowController flow, int milli) {
        engine.step();
        if (milli % TICK_MILLIS == 0) {
            flow.tick();
        }
    }

    private void send(FlowController flow, int priority) {
        flow.submit(TestRequest.in(priority), new RecordingListener(heard -> {
            if (heard.dispatched()) {
                order.add(priority);
            }
        }), Runnable::run);
    }

    private FlowController flow(SimulatedEngine engine) {
        SaturationDetector detector = Detectors.create("utilization-detector", "u", Map.of("queueDepthThreshold", THRESHOLD,
                "metricsStalenessThreshold", "2s"));
        BandConfig zero = BandConfig.defaults(0);
        FlowControlConfig config = new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, 0, 0, zero, null,
                List.of(zero.withPriority(10), zero.withPriority(-10), zero.withPriority(-5)), GateOn.MAX);
        PoolView pool = new PoolView(List.of(engine.endpoint), Map.of());
        FlowController flow = FlowControllers.create(config, Collaborators.of(detector, engine, () -> pool, clock));
        engine.signal = flow::signal;
        return flow;
    }
}
