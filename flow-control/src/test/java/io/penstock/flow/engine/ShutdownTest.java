package io.penstock.flow.engine;

import static io.penstock.flow.RejectReason.SATURATED;
import static io.penstock.flow.RejectReason.SHUTTING_DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.Outcome;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Drain and shutdown: spec/flow-control section 12, cases 13 to 17. */
class ShutdownTest {

    @Test
    void whatWaitsIsEvictedAndWhatComesIsRejectedBothAsShuttingDown() {
        Rig rig = Rig.bands(10, 0, 5);
        Rig.Sent high = rig.send(5);
        Rig.Sent low = rig.send(0);
        rig.controller.shutdown();
        Rig.Sent late = rig.send(0);
        for (Rig.Sent each : List.of(high, low, late)) {
            assertThat(each.listener().refused()).isEqualTo(SHUTTING_DOWN);
            assertThat(each.listener().outcomes()).isOne();
        }
        assertThat(rig.events.count(Outcome.EVICTED_OTHER)).isEqualTo(2);
        assertThat(rig.events.count(Outcome.REJECTED_OTHER)).isOne();
        assertThat(rig.waiting(0) + rig.waiting(5)).isZero();
        rig.controller.shutdown();
        rig.open();
        assertThat(rig.placement.asked()).isZero();
    }

    @Test
    void whatHadNotReachedItsQueueIsRejectedAndWhatStoodInItIsEvicted() {
        Rig rig = Rig.bands(10, 0);
        Rig.Sent runs = rig.send(0);
        Rig.Sent stands = rig.send(0);
        Rig.Sent[] comes = new Rig.Sent[1];
        // Inside the drainer, so that the arrival is seen together with the shutdown.
        rig.placement.beforeReturn(() -> {
            comes[0] = rig.send(0);
            rig.controller.shutdown();
        });
        rig.open();
        assertThat(runs.listener().dispatched()).isTrue();
        assertThat(stands.listener().refused()).isEqualTo(SHUTTING_DOWN);
        assertThat(comes[0].listener().refused()).isEqualTo(SHUTTING_DOWN);
        assertThat(rig.events.count(Outcome.EVICTED_OTHER)).isOne();
        assertThat(rig.events.count(Outcome.REJECTED_OTHER)).isOne();
    }

    @Test
    void aRequestThatWasCancelledBeforeTheShutdownStaysCancelled() {
        Rig rig = Rig.bands(10, 0);
        Rig.Sent sent = rig.send(0);
        sent.ticket().cancel();
        rig.controller.shutdown();
        assertThat(sent.listener().outcomes()).isZero();
        assertThat(rig.events.count(Outcome.EVICTED_CONTEXT_CANCELLED)).isOne();
    }

    @Test
    void aDrainKeepsWhatWaitsAndStillAdmits() {
        Rig rig = Rig.bands(2, 0);
        Rig.Sent before = rig.send(0);
        rig.controller.beginDrain();
        Rig.Sent after = rig.send(0);
        Rig.Sent over = rig.send(0);
        assertThat(over.listener().refused()).isEqualTo(SHUTTING_DOWN);
        rig.open();
        assertThat(before.listener().dispatched()).isTrue();
        assertThat(after.listener().dispatched()).isTrue();
    }

    @Test
    void withoutADrainAFullBandSaysSaturated() {
        Rig rig = Rig.bands(1, 0);
        rig.send(0);
        assertThat(rig.send(0).listener().refused()).isEqualTo(SATURATED);
    }

    @Test
    void submissionsThatRaceAShutdownAllGetOneAnswer() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 200; round++) {
                Rig rig = Rig.bands(1000, 0);
                CountDownLatch start = new CountDownLatch(1);
                CountDownLatch done = new CountDownLatch(4);
                List<RecordingListener> listeners = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    listeners.add(new RecordingListener());
                }
                for (int thread = 0; thread < 4; thread++) {
                    int mine = thread;
                    threads.execute(() -> {
                        await(start);
                        for (int i = mine; i < 50; i += 4) {
                            rig.controller.submit(TestRequest.in(0), listeners.get(i), Runnable::run);
                        }
                        done.countDown();
                    });
                }
                start.countDown();
                rig.controller.shutdown();
                assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
                assertThat(listeners).allMatch(each -> each.outcomes() == 1 && each.refused() == SHUTTING_DOWN);
                assertThat(rig.waiting(0)).isZero();
                assertThat(rig.controller.pendingSignals()).isZero();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
