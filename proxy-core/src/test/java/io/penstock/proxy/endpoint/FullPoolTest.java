package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.detect.Detectors;
import io.penstock.flow.FlowController;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.engine.FlowControllers;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FC-16 without sockets: between the gate and the choice of an endpoint no place is lost, and who finds none waits. */
class FullPoolTest {

    private static final int LOOPS = 4;
    private static final int BURST = 20;

    private final EndpointPool pool = new EndpointPool(System::nanoTime);
    private final List<ExecutorService> loops = new ArrayList<>();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    @AfterEach
    void stop() {
        loops.forEach(ExecutorService::shutdownNow);
    }

    /** With a ceiling of 1 the gate closes in time; with one of 2 it is open all the time, and only the choice of an endpoint says no. */
    @ParameterizedTest
    @ValueSource(doubles = {1.0, 2.0})
    void aThousandBurstsOfTwentyForTwoPlacesAreAllDispatchedOneAPlaceAtATime(double ceiling) throws Exception {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        FlowController flow = flow(ceiling);
        for (int i = 0; i < LOOPS; i++) {
            loops.add(Executors.newSingleThreadExecutor());
            flow.register(loops.get(i));
        }
        for (int round = 0; round < 1000; round++) {
            CountDownLatch done = new CountDownLatch(BURST);
            for (int i = 0; i < BURST; i++) {
                ExecutorService loop = loops.get(i % LOOPS);
                loop.execute(() -> flow.submit(TestRequest.in(0), new RecordingListener(heard -> end(heard, done)), loop));
            }
            assertThat(done.await(20, TimeUnit.SECONDS)).as("round %d", round).isTrue();
        }
        assertThat(refused).hasValue(0);
        assertThat(most).hasValue(1);
        assertThat(pool.members()).allMatch(endpoint -> endpoint.inFlightRequests() == 0);
    }

    private void end(RecordingListener heard, CountDownLatch done) {
        if (heard.dispatched()) {
            most.accumulateAndGet(heard.lease().endpoint().inFlightRequests(), Math::max);
            heard.lease().close();
        } else {
            refused.incrementAndGet();
        }
        done.countDown();
    }

    private FlowController flow(double ceiling) {
        SaturationDetector detector = Detectors.create("concurrency-detector", "c", Map.of("maxConcurrency", 1));
        AtomicReference<FlowController> flow = new AtomicReference<>();
        LeastLoadPlacement placement = new LeastLoadPlacement(pool, StageDetectors.both(detector), TokenCharge.NONE, System::nanoTime,
                () -> flow.get().signal(), EnumSet.allOf(Stage.class), 4096);
        flow.set(FlowControllers.create(FlowControlConfig.defaults(), Collaborators.of(detector, placement, pool, System::nanoTime)
                .withUsageLimit((saturation, priorities, ceilings) -> Arrays.fill(ceilings, ceiling))));
        return flow.get();
    }
}
