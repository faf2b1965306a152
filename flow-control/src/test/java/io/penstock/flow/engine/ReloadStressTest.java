package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.GateOn;
import io.penstock.flow.Lease;
import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Ticket;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The races of reload and eviction: submissions, cancels, closes, ticks and changes of everything from several threads. */
@Timeout(120)
class ReloadStressTest {

    private static final int REQUESTS = 12_000;
    private static final int THREADS = 4;
    private static final int SLOTS = 8;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger evictions = new AtomicInteger();
    private final ConcurrentLinkedQueue<Lease> open = new ConcurrentLinkedQueue<>();

    /** One request's own counts; closes its lease when it is told to stop, or leaves that to the closer. */
    private final class Client implements AdmissionListener {

        private final AtomicInteger outcomes = new AtomicInteger();
        private final AtomicInteger told = new AtomicInteger();
        private volatile Lease lease;

        @Override
        public void onDispatched(FlowKey effective, Lease charged, long waitedNanos) {
            lease = charged;
            open.add(charged);
            outcomes.incrementAndGet();
        }

        @Override
        public void onPassed(Lease charged) {
            outcomes.addAndGet(100);
        }

        @Override
        public void onRefused(RejectReason reason, int retryAfterSeconds) {
            outcomes.incrementAndGet();
        }

        @Override
        public void onEvicted() {
            evictions.incrementAndGet();
            told.incrementAndGet();
            lease.close();
        }
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void everyRequestHasOneOutcomeAndEveryCountEndsAtZeroWhateverIsReloadedMeanwhile() throws Exception {
        Rig rig = new Rig(config(0));
        rig.placement.limit(SLOTS);
        Client[] clients = new Client[REQUESTS];
        boolean[] cancelled = new boolean[REQUESTS];
        AtomicBoolean running = new AtomicBoolean(true);
        AtomicInteger torn = new AtomicInteger();
        AtomicInteger ticks = new AtomicInteger();
        List<Future<?>> background = List.of(
                threads.submit(() -> {
                    for (int i = 1; running.get(); i++) {
                        rig.reconfigure(config(i));
                        rig.pool = i % 7 == 0 ? PoolView.EMPTY : FakeEndpoint.pool(rig.endpoint);
                        // Open, or closed for as long as it takes to tell somebody to stop.
                        rig.gate.set(i % 3 == 0 ? 1.0 : 0.0);
                        rig.controller.signal();
                        Thread.onSpinWait();
                    }
                }),
                threads.submit(() -> {
                    while (running.get()) {
                        rig.clock.advance(Duration.ofMillis(1));
                        rig.controller.tick();
                        ticks.incrementAndGet();
                        close(open.poll());
                        for (BandView band : rig.controller.bands()) {
                            // The limits of one configuration go together.
                            boolean pair = band.maxRequests() == CapacitySnapshot.UNBOUNDED
                                    ? band.maxBytes() == CapacitySnapshot.UNBOUNDED : band.maxBytes() == band.maxRequests() * 1000;
                            torn.addAndGet(pair && band.requests() >= 0 && band.bytes() >= 0 ? 0 : 1);
                        }
                    }
                }));
        inParallel(mine -> {
            Random random = new Random(mine);
            Ticket[] tickets = new Ticket[REQUESTS];
            for (int i = mine; i < REQUESTS; i += THREADS) {
                clients[i] = new Client();
                // In turns, so that sheddable requests get to run before somebody wants their place.
                int priority = i / 400 % 2 == 0 ? -1 - random.nextInt(4) : random.nextInt(8);
                TestRequest request = TestRequest.of("f" + i % 50, priority).bytes(random.nextInt(50))
                        .ttl(Duration.ofMillis(1 + random.nextInt(60)));
                tickets[i] = rig.controller.submit(request, clients[i], Runnable::run);
                int other = i - THREADS * random.nextInt(8);
                if (other >= mine && random.nextInt(3) == 0) {
                    cancelled[other] |= tickets[other].cancel();
                }
                if (random.nextInt(4) == 0) {
                    close(open.poll());
                }
                int before = ticks.get();
                while (i % 32 < THREADS && ticks.get() == before) {
                    Thread.yield();
                }
            }
        });
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> rig.events.waiting() == 0);
        running.set(false);
        for (Future<?> each : background) {
            each.get();
        }
        rig.pool = FakeEndpoint.pool(rig.endpoint);
        open.forEach(ReloadStressTest::close);
        rig.tickAfter(Duration.ofSeconds(20));
        assertThat(torn).as("views that never were").hasValue(0);
        assertThat(rig.events.failures()).isEmpty();
        assertThat(evictions).as("some were told to stop").hasPositiveValue();
        assertThat(Arrays.stream(clients)).allMatch(each -> each.told.get() <= 1);
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(clients[i].outcomes).as("outcomes of " + i).hasValue(cancelled[i] ? 0 : 1);
        }
        assertThat(rig.placement.open()).isZero();
        assertThat(rig.endpoint.inFlightRequests()).isZero();
        assertThat(rig.placement.most()).isLessThanOrEqualTo(SLOTS);
        assertThat(rig.events.waitingBytes()).isZero();
        assertThat(rig.controller.pendingSignals()).isZero();
        assertThat(Arrays.stream(Outcome.values()).mapToInt(rig.events::count).sum()).isEqualTo(REQUESTS);
        assertThat(rig.controller.bands()).allMatch(band -> band.requests() == 0 && band.bytes() == 0 && band.flowCount() == 0);
        assertThat(rig.events.reclaims().stream().filter(each -> each.startsWith("revoked"))).isNotEmpty();
        theGlobalCountIsExact(rig);
    }

    /** A limit of one lets exactly one in, whatever was counted before. */
    private static void theGlobalCountIsExact(Rig rig) {
        rig.reconfigure(new FlowControlConfig(1, CapacitySnapshot.UNBOUNDED, 0, 0, Rig.band(0, 5), null, List.of(), GateOn.MAX));
        rig.gate.close();
        assertThat(rig.send(0).listener().outcomes()).isZero();
        assertThat(rig.send(0).listener().refused()).isEqualTo(RejectReason.SATURATED);
    }

    private static void close(Lease lease) {
        if (lease != null) {
            lease.close();
        }
    }

    /** One of many configurations: other limits, budgets, bands, global limits, eviction on and off. */
    private static FlowControlConfig config(int i) {
        Random random = new Random(i);
        List<BandConfig> bands = new ArrayList<>();
        for (int priority = -4; priority < 8; priority++) {
            if (priority < 0 || random.nextBoolean()) {
                bands.add(band(priority, random));
            }
        }
        long global = random.nextInt(3) == 0 ? CapacitySnapshot.UNBOUNDED : 5 + random.nextInt(200);
        FlowControlConfig config = new FlowControlConfig(global, CapacitySnapshot.UNBOUNDED,
                Duration.ofMillis(random.nextInt(80)).toNanos(), Duration.ofMillis(1 + random.nextInt(80)).toNanos(), band(0, random), null,
                bands, GateOn.MAX);
        return i % 100 == 99 ? config : config.withEviction(Duration.ofMillis(random.nextInt(3)).toNanos());
    }

    private static BandConfig band(int priority, Random random) {
        long requests = random.nextInt(5) == 0 ? CapacitySnapshot.UNBOUNDED : 1 + random.nextInt(60);
        long bytes = requests == CapacitySnapshot.UNBOUNDED ? CapacitySnapshot.UNBOUNDED : requests * 1000;
        long ttl = random.nextBoolean() ? BandConfig.INHERIT : Duration.ofMillis(random.nextInt(40)).toNanos();
        return new BandConfig(priority, requests, bytes, ttl, BandConfig.GLOBAL_STRICT, BandConfig.FCFS);
    }

    private void inParallel(IntConsumer work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
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
