package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.Lease;
import io.penstock.flow.Ticket;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FC-19: a flow's requests leave in the order of their arrival, from whichever loop they come and however often they come back. */
class ArrivalOrderTest {

    private static final int LOOPS = 8;
    private static final int COUNT = 1000;

    private final Rig rig = Rig.bands(1000, 0);
    private final List<ExecutorService> loops = new ArrayList<>();
    private final List<Integer> order = new ArrayList<>();
    private final Object arrival = new Object();
    private final AtomicInteger dispatches = new AtomicInteger();
    private final CountDownLatch finished = new CountDownLatch(COUNT);
    private int arrived;

    @AfterEach
    void stop() {
        loops.forEach(ExecutorService::shutdownNow);
    }

    /** Each of the loops submits its requests, is told of their dispatch and gives their places back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThousandNumberedRequestsLeaveInOrderThoughEveryThirdComesBack(boolean gateOpenFromTheStart) throws Exception {
        rig.placement.limit(1);
        if (gateOpenFromTheStart) {
            rig.gate.open();
        }
        for (int i = 0; i < LOOPS; i++) {
            ExecutorService loop = Executors.newSingleThreadExecutor();
            loops.add(loop);
            rig.controller.register(loop);
        }
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (ExecutorService loop : loops) {
            for (int i = 0; i < COUNT / LOOPS; i++) {
                sent.add(CompletableFuture.runAsync(() -> submitNext(loop), loop));
            }
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        rig.open();
        // Between a look at what waits and one at what runs a request may come back: only its end says that it has ended.
        assertThat(finished.await(20, TimeUnit.SECONDS)).as("%s left", finished).isTrue();
        assertThat(order).isEqualTo(IntStream.range(0, COUNT).boxed().toList());
        assertThat(dispatches.get()).isEqualTo(COUNT + (COUNT + 2) / 3);
        assertThat(rig.waiting(0)).isZero();
        assertThat(rig.placement.open()).isZero();
    }

    /** The lock makes one order of arrival out of those of eight loops; there is no other way to know it. */
    private void submitNext(ExecutorService loop) {
        synchronized (arrival) {
            int number = arrived++;
            AdmissionRequest request = TestRequest.in(0);
            CompletableFuture<Ticket> ticket = new CompletableFuture<>();
            ticket.complete(rig.controller.submit(request, new RecordingListener(heard -> {
                dispatches.incrementAndGet();
                if (number % 3 == 0) {
                    again(loop, ticket, request, heard.lease(), number);
                } else {
                    finish(heard.lease(), number);
                }
            }), loop));
        }
    }

    /** In line first, then the place is given back, as whoever takes a request back must do it. */
    private void again(ExecutorService loop, CompletableFuture<Ticket> ticket, AdmissionRequest request, Lease lease, int number) {
        rig.controller.resubmit(ticket.join(), request, new RecordingListener(heard -> {
            dispatches.incrementAndGet();
            finish(heard.lease(), number);
        }), loop);
        lease.close();
    }

    /** One runs at a time, so nobody else writes meanwhile, and closing the lease publishes it to the next. */
    private void finish(Lease lease, int number) {
        order.add(number);
        lease.close();
        finished.countDown();
    }

    /** The decision to run the second one was being made, and its endpoint charged, when the first one came back. */
    @Test
    void aRequestThatComesBackDuringADecisionIsBeforeTheOneThatWasChosen() {
        rig.gate.open();
        Rig.Sent first = rig.send(0);
        List<String> heard = new ArrayList<>();
        AtomicBoolean once = new AtomicBoolean();
        rig.placement.beforeReturn(() -> {
            if (once.compareAndSet(false, true)) {
                rig.controller.resubmit(first.ticket(), first.request(), new RecordingListener(each -> heard.add("first")), rig.owner);
                first.listener().lease().close();
            }
        });
        rig.controller.submit(TestRequest.in(0), new RecordingListener(each -> heard.add("second")), rig.owner);
        assertThat(heard).containsExactly("first", "second");
        assertThat(rig.placement.open()).as("what was charged for the second one at first is given back").isEqualTo(2);
    }

    @Test
    void aPlaceGivenBackBeforeTheRequestIsInLineAgainGoesToTheNext() {
        rig.placement.limit(1);
        rig.gate.open();
        Rig.Sent first = rig.send(0);
        Rig.Sent second = rig.send(0);
        first.listener().lease().close();
        Rig.Sent again = rig.again(first, first.request());
        assertThat(second.listener().dispatched()).as("nobody was in front of it").isTrue();
        assertThat(again.listener().outcomes()).isZero();
    }
}
