package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Ticket;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The races: FC-13, FC-19, FC-22, FC-29 and CAN-09. */
@Timeout(120)
class StressTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void of200ArrivalsExactly50GetInto50PlacesInEachOf500Rounds() throws Exception {
        Rig rig = Rig.bands(50, 0);
        AtomicBoolean watching = new AtomicBoolean(true);
        Future<Long> lowest = threads.submit(() -> {
            long min = Long.MAX_VALUE;
            while (watching.get()) {
                CapacitySnapshot seen = rig.capacity(0);
                min = Math.min(min, Math.min(seen.requests(), seen.maxRequests() - seen.requests()));
            }
            return min;
        });
        for (int round = 0; round < 500; round++) {
            Rig.Sent[] sent = new Rig.Sent[200];
            inParallel(16, mine -> {
                for (int i = mine; i < 200; i += 16) {
                    sent[i] = rig.send(0);
                }
            });
            assertThat(Arrays.stream(sent).filter(each -> each.listener().refused() == RejectReason.SATURATED)).hasSize(150);
            assertThat(Arrays.stream(sent).filter(each -> each.listener().outcomes() == 0)).hasSize(50);
            assertThat(rig.waiting(0)).isEqualTo(50);
            Arrays.stream(sent).filter(each -> each.listener().outcomes() == 0).forEach(each -> each.ticket().cancel());
            assertThat(rig.waiting(0)).isZero();
        }
        watching.set(false);
        assertThat(lowest.get()).as("neither length nor headroom was ever negative").isNotNegative();
    }

    @Test
    void cancelsThatRaceDispatchAndExpiryLeaveExactCounts() throws Exception {
        int count = 20_000;
        Rig rig = Rig.bands(50, 0, 5);
        rig.placement.limit(8);
        rig.gate.open();
        RecordingListener[] listeners = new RecordingListener[count];
        Ticket[] tickets = new Ticket[count];
        boolean[] cancelled = new boolean[count];
        AtomicBoolean running = new AtomicBoolean(true);
        AtomicLong bad = new AtomicLong();
        ConcurrentLinkedQueue<Lease> open = new ConcurrentLinkedQueue<>();
        List<Future<?>> background = new ArrayList<>();
        background.add(threads.submit(() -> {
            while (running.get()) {
                CapacitySnapshot seen = rig.capacity(0);
                bad.addAndGet(seen.requests() < 0 || seen.requests() > 50 ? 1 : 0);
                rig.clock.advance(Duration.ofMillis(1));
                rig.controller.tick();
                Lease lease = open.poll();
                if (lease != null) {
                    lease.close();
                }
            }
        }));
        inParallel(8, mine -> {
            Random random = new Random(mine);
            for (int i = mine; i < count; i += 8) {
                listeners[i] = new RecordingListener(heard -> {
                    if (heard.dispatched()) {
                        open.add(heard.lease());
                    }
                });
                TestRequest request = TestRequest.of("f" + i % 500, i % 3 == 0 ? 5 : 0).ttl(Duration.ofMillis(1 + random.nextInt(40)));
                tickets[i] = rig.controller.submit(request, listeners[i], Runnable::run);
                int other = i - 8 * random.nextInt(4);
                if (other >= mine && random.nextInt(3) > 0) {
                    cancelled[other] |= tickets[other].cancel();
                }
                if (random.nextInt(4) == 0) {
                    Lease lease = open.poll();
                    if (lease != null) {
                        lease.close();
                    }
                }
            }
        });
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> rig.waiting(0) + rig.waiting(5) == 0);
        running.set(false);
        for (Future<?> each : background) {
            each.get();
        }
        for (Lease lease = open.poll(); lease != null; lease = open.poll()) {
            lease.close();
        }
        for (int i = 0; i < count; i++) {
            assertThat(listeners[i].outcomes()).as("outcomes of " + i).isEqualTo(cancelled[i] ? 0 : 1);
        }
        assertThat(bad).as("lengths out of range").hasValue(0);
        assertThat(rig.placement.open()).isZero();
        assertThat(rig.placement.most()).isLessThanOrEqualTo(8);
        assertThat(rig.events.waiting()).isZero();
        assertThat(rig.events.waitingBytes()).isZero();
        assertThat(rig.events.failures()).isEmpty();
        assertThat(rig.controller.pendingSignals()).isZero();
        assertThat(rig.controller.band(0).queues.waiting() + rig.controller.band(5).queues.waiting()).isZero();
        int told = Arrays.stream(Outcome.values()).mapToInt(rig.events::count).sum();
        assertThat(told).isEqualTo(count);
    }

    /** FC-13: flows with work come, are half cancelled, expire and are forgotten, while somebody reads. */
    @Test
    void headroomStaysWithinTheLimitWhileFlowsAreCancelledExpiredAndForgotten() throws Exception {
        Rig rig = Rig.bands(1000, 0);
        AtomicBoolean running = new AtomicBoolean(true);
        AtomicLong read = new AtomicLong();
        Future<Long> wrong = threads.submit(() -> {
            long outside = 0;
            while (running.get() || read.get() < 1000) {
                CapacitySnapshot seen = rig.capacity(0);
                outside += seen.requests() < 0 || seen.headroomRequests() < 0 || seen.headroomRequests() > 1000 ? 1 : 0;
                read.incrementAndGet();
            }
            return outside;
        });
        for (int round = 0; round < 20; round++) {
            Rig.Sent[] sent = new Rig.Sent[1000];
            boolean[] cancelled = new boolean[1000];
            Arrays.setAll(sent, i -> rig.send(TestRequest.of("f" + i % 500, 0)));
            inParallel(2, mine -> {
                for (int i = mine; i < 1000; i += 4) {
                    cancelled[i] = sent[i].ticket().cancel();
                }
                // The budget is over after the first of these steps, the flows' rest after some more.
                rig.tickAfter(Duration.ofMinutes(2));
            });
            Awaitility.await().until(() -> rig.controller.pendingSignals() == 0);
            rig.tickAfter(Duration.ofMinutes(6));
            for (int i = 0; i < 1000; i++) {
                assertThat(sent[i].listener().outcomes()).as("request %d", i).isEqualTo(cancelled[i] ? 0 : 1);
            }
            assertThat(rig.capacity(0).headroomRequests()).isEqualTo(1000);
            assertThat(rig.controller.band(0).queues.flowsKept()).isZero();
        }
        running.set(false);
        assertThat(wrong.get()).isZero();
        assertThat(rig.events.waiting()).isZero();
    }

    @Test
    void ofTwoThreadsThatSettleOneTicketAtTheSameMomentExactlyOneWins() throws Exception {
        int count = 20_000;
        Rig rig = Rig.bands(count, 0);
        List<Rig.Sent> sent = rig.send(count, 0);
        AtomicInteger arrived = new AtomicInteger();
        AtomicInteger won = new AtomicInteger();
        inParallel(2, mine -> {
            for (int i = 0; i < count; i++) {
                arrived.incrementAndGet();
                while (arrived.get() < 2 * (i + 1)) {
                    // Where both have one core, the other one would have to wait for the end of this one's slice.
                    Thread.yield();
                }
                won.addAndGet(sent.get(i).ticket().cancel() ? 1 : 0);
            }
        });
        assertThat(won).hasValue(count);
        assertThat(rig.waiting(0)).isZero();
        assertThat(rig.controller.bands().get(0).bytes()).isZero();
    }

    @Test
    void arrivalsOfEightLoopsLeaveInTheOrderInWhichEachLoopSentThem() throws Exception {
        Rig rig = Rig.bands(20_000, 0);
        List<int[]> order = new ArrayList<>();
        inParallel(8, mine -> {
            for (int i = 0; i < 1000; i++) {
                int[] stamp = {mine, i};
                // The gate opens when all have come; then one drainer calls every listener.
                rig.controller.submit(TestRequest.of("f" + i % 3, 0), new RecordingListener(heard -> order.add(stamp)), Runnable::run);
            }
        });
        rig.open();
        assertThat(order).hasSize(8000);
        int[] next = new int[8];
        for (int[] stamp : order) {
            assertThat(stamp[1]).isEqualTo(next[stamp[0]]++);
        }
    }

    @Test
    void bandsThatComeAndGoUnderLoadLoseNoRequest() throws Exception {
        Rig rig = Rig.bands(100_000, 0);
        rig.gate.open();
        AtomicInteger heard = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        AtomicBoolean running = new AtomicBoolean(true);
        Future<?> provisioning = threads.submit(() -> {
            while (running.get()) {
                rig.controller.provision(Set.of(5));
                rig.controller.provision(Set.of());
            }
        });
        inParallel(4, mine -> {
            for (int i = 0; i < 20_000; i++) {
                rig.controller.submit(TestRequest.of("t" + mine, 5), new AdmissionListener() {
                    @Override
                    public void onDispatched(FlowKey effective, Lease lease, long waitedNanos) {
                        heard.incrementAndGet();
                        wrong.addAndGet(effective.priority() == 5 || effective.priority() == 0 ? 0 : 1);
                        lease.close();
                    }

                    @Override
                    public void onPassed(Lease lease) {
                        wrong.incrementAndGet();
                    }

                    @Override
                    public void onEvicted() {
                    }

                    @Override
                    public void onRefused(RejectReason reason, int retryAfterSeconds) {
                        wrong.incrementAndGet();
                    }
                }, Runnable::run);
            }
        });
        running.set(false);
        provisioning.get();
        Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> heard.get() == 80_000);
        assertThat(wrong).hasValue(0);
        assertThat(rig.waiting(0)).isZero();
    }

    @Test
    void neverMoreInFlightThanTheLimitOnRealLoops() throws Exception {
        Rig rig = Rig.bands(5000, 0);
        rig.placement.limit(8);
        rig.gate.open();
        List<ExecutorService> loops = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            loops.add(Executors.newSingleThreadExecutor());
            rig.controller.register(loops.get(i));
        }
        AtomicInteger finished = new AtomicInteger();
        inParallel(4, mine -> {
            for (int i = 0; i < 1000; i++) {
                ExecutorService loop = loops.get(mine);
                rig.controller.submit(TestRequest.of("t" + mine, 0), new RecordingListener(heard -> loop.execute(() -> {
                    heard.lease().close();
                    finished.incrementAndGet();
                })), loop);
            }
        });
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> finished.get() == 4000);
        assertThat(rig.placement.most()).isLessThanOrEqualTo(8);
        Awaitility.await().until(() -> rig.controller.pendingSignals() == 0);
        assertThat(rig.placement.open()).isZero();
        loops.forEach(ExecutorService::shutdownNow);
    }

    private void inParallel(int count, IntConsumer work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(count);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int mine = i;
            all.add(threads.submit(() -> {
                start.await();
                work.accept(mine);
                return null;
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
    }
}
