package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.EngineSample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EndpointTest {

    private static final EngineSample IDLE = new EngineSample(1, 0, 0, 0.0);

    private final Endpoint endpoint = new Endpoint(Fleet.spec("a", 8000));

    @Test
    void aLeaseCountsFromChargeToTheFirstClose() {
        AtomicInteger signals = new AtomicInteger();
        EndpointLease first = endpoint.charge(7, signals::incrementAndGet);
        EndpointLease second = endpoint.charge(5, signals::incrementAndGet);
        assertThat(endpoint.inFlightRequests()).isEqualTo(2);
        assertThat(endpoint.inFlightTokens()).isEqualTo(12);

        first.close();
        first.close();

        assertThat(endpoint.inFlightRequests()).isEqualTo(1);
        assertThat(endpoint.inFlightTokens()).isEqualTo(5);
        assertThat(signals).hasValue(1);
        second.close();
        assertThat(endpoint.inFlightRequests()).isZero();
        assertThat(endpoint.inFlightTokens()).isZero();
    }

    @Test
    void theSignalSeesTheChargeAlreadyGivenBack() {
        List<Integer> seen = new ArrayList<>();
        EndpointLease lease = endpoint.charge(0, () -> seen.add(endpoint.inFlightRequests() + endpoint.dispatchedSinceSample()));
        lease.close();
        assertThat(seen).containsExactly(0);
    }

    @Test
    void anUndoneChargeTellsNobody() {
        AtomicInteger signals = new AtomicInteger();
        EndpointLease lease = endpoint.charge(0, signals::incrementAndGet);
        lease.undo();
        lease.close();
        assertThat(endpoint.inFlightRequests()).isZero();
        assertThat(signals).hasValue(0);
    }

    @Test
    void requestsDispatchedBeforeTheFirstSampleCountAsNotSampled() {
        endpoint.charge(0, Fleet.NO_SIGNAL);
        assertThat(endpoint.sample()).isNull();
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(1);
    }

    @Test
    void aSampleCoversWhatWasChargedBeforeItsStartOnly() {
        EndpointLease before = endpoint.charge(0, Fleet.NO_SIGNAL);
        InFlight.Window start = endpoint.counts().mark();
        EndpointLease during = endpoint.charge(0, Fleet.NO_SIGNAL);
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(2);

        endpoint.counts().publish(start, IDLE);

        assertThat(endpoint.sample()).isSameAs(IDLE);
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(1);
        EndpointLease after = endpoint.charge(0, Fleet.NO_SIGNAL);
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(2);
        before.close();
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(2);
        during.close();
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(1);
        after.close();
        assertThat(endpoint.dispatchedSinceSample()).isZero();
    }

    @Test
    void failedSamplesLeaveTheCountOfTheNewestGoodOneStanding() {
        InFlight.Window good = endpoint.counts().mark();
        endpoint.counts().publish(good, IDLE);
        List<EndpointLease> leases = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            leases.add(endpoint.charge(0, Fleet.NO_SIGNAL));
            endpoint.counts().mark();
        }
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(5);
        leases.get(2).close();
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(4);
        endpoint.counts().publish(endpoint.counts().mark(), IDLE);
        assertThat(endpoint.dispatchedSinceSample()).isZero();
        leases.forEach(EndpointLease::close);
        assertThat(endpoint.dispatchedSinceSample()).isZero();
        assertThat(endpoint.inFlightRequests()).isZero();
    }

    @Test
    void aSampleThatALaterOneHasOvertakenIsDropped() {
        EngineSample late = new EngineSample(2, 5, 5, 0.5);
        InFlight.Window overtaken = endpoint.counts().mark();
        InFlight.Window newer = endpoint.counts().mark();
        endpoint.counts().publish(newer, IDLE);
        endpoint.counts().publish(overtaken, late);
        assertThat(endpoint.sample()).isSameAs(IDLE);
    }

    @Test
    void countsStayExactWhileOneThreadChargesOthersCloseAndSamplesTurnOver() throws Exception {
        int rounds = 200_000;
        ConcurrentLinkedQueue<EndpointLease> open = new ConcurrentLinkedQueue<>();
        AtomicBoolean charging = new AtomicBoolean(true);
        CountDownLatch ready = new CountDownLatch(3);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<?>> closers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            closers.add(pool.submit(() -> {
                ready.countDown();
                while (charging.get() || !open.isEmpty()) {
                    EndpointLease lease = open.poll();
                    if (lease != null) {
                        lease.close();
                    }
                }
            }));
        }
        Future<?> sampler = pool.submit(() -> {
            ready.countDown();
            for (int i = 0; charging.get(); i++) {
                InFlight.Window start = endpoint.counts().mark();
                if (i % 3 != 0) {
                    endpoint.counts().publish(start, IDLE);
                }
            }
        });
        assertThat(ready.await(10, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < rounds; i++) {
            open.add(endpoint.charge(3, Fleet.NO_SIGNAL));
        }
        charging.set(false);
        for (Future<?> closer : closers) {
            closer.get(30, TimeUnit.SECONDS);
        }
        sampler.get(30, TimeUnit.SECONDS);
        pool.shutdown();

        assertThat(endpoint.inFlightRequests()).isZero();
        assertThat(endpoint.inFlightTokens()).isZero();
        assertThat(endpoint.dispatchedSinceSample()).isZero();
        InFlight.Window start = endpoint.counts().mark();
        EndpointLease last = endpoint.charge(0, Fleet.NO_SIGNAL);
        endpoint.counts().publish(start, IDLE);
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(1);
        last.close();
        assertThat(endpoint.dispatchedSinceSample()).isZero();
    }

    @Test
    void whatASampleHasSeenAndHasEndedSinceIsCounted() {
        EndpointLease one = endpoint.charge(0, Fleet.NO_SIGNAL);
        EndpointLease two = endpoint.charge(0, Fleet.NO_SIGNAL);
        EndpointLease three = endpoint.charge(0, Fleet.NO_SIGNAL);
        InFlight.Window start = endpoint.counts().mark();
        EndpointLease late = endpoint.charge(0, Fleet.NO_SIGNAL);
        one.close();
        endpoint.counts().publish(start, new EngineSample(0, 0, 3, 0.0));
        assertThat(endpoint.endedSinceSample()).as("the page may have known of that end").isZero();
        two.close();
        late.close();
        assertThat(endpoint.endedSinceSample()).as("a late one was not seen").isOne();
        endpoint.counts().mark();
        assertThat(endpoint.endedSinceSample()).as("until the next is published").isOne();
        three.close();
        assertThat(endpoint.endedSinceSample()).isEqualTo(2);
        endpoint.counts().publish(endpoint.counts().mark(), new EngineSample(0, 0, 0, 0.0));
        assertThat(endpoint.endedSinceSample()).isZero();
    }

    /** A client that reads slowly holds a lease whose place in the engine has long been free. */
    @Test
    void whatTheEngineHadDoneWithBeforeTheSampleMakesNoRoomLater() {
        List<EndpointLease> slow = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            slow.add(endpoint.charge(0, Fleet.NO_SIGNAL));
        }
        endpoint.counts().publish(endpoint.counts().mark(), new EngineSample(0, 1, 2, 0.0));
        slow.subList(0, 7).forEach(EndpointLease::close);
        assertThat(endpoint.endedSinceSample()).as("three of ten are in the engine").isZero();
        slow.get(7).close();
        assertThat(endpoint.endedSinceSample()).isOne();
        slow.get(8).close();
        slow.get(9).close();
        assertThat(endpoint.endedSinceSample()).isEqualTo(3);
    }

    @Test
    void anEngineThatDoesNotSayWhatItRunsHadWhatWaited() {
        List<EndpointLease> leases = List.of(endpoint.charge(0, Fleet.NO_SIGNAL), endpoint.charge(0, Fleet.NO_SIGNAL));
        endpoint.counts().publish(endpoint.counts().mark(), new EngineSample(0, 1, Poller.NOT_SAID, 0.0));
        leases.forEach(EndpointLease::close);
        assertThat(endpoint.endedSinceSample()).isOne();
    }

    @Test
    void aServerOfWhichNothingIsKnownHasEndedNothing() {
        EndpointLease lease = endpoint.charge(0, Fleet.NO_SIGNAL);
        endpoint.counts().publish(endpoint.counts().mark(), new EngineSample(0, Integer.MAX_VALUE, Integer.MAX_VALUE, 0.0));
        endpoint.counts().forget();
        lease.close();
        assertThat(endpoint.endedSinceSample()).isZero();
    }

    @Test
    void aRequestChargedAfterASampleStartedIsNeverLostByItsTurnover() throws Exception {
        ExecutorService sampler = Executors.newSingleThreadExecutor();
        AtomicInteger marks = new AtomicInteger();
        AtomicBoolean on = new AtomicBoolean(true);
        Future<?> sampling = sampler.submit(() -> {
            while (on.get()) {
                endpoint.counts().mark();
                marks.incrementAndGet();
            }
        });
        // Nothing is ever published, so a charge must stay in the sum whichever window it fell into. Each is given back, so that the
        // newest window is empty when the next charge races with a mark; that mark must be over before the sum is looked at.
        int lost = 0;
        for (int i = 0; i < 5_000; i++) {
            EndpointLease lease = endpoint.charge(0, Fleet.NO_SIGNAL);
            int racing = marks.get();
            while (marks.get() - racing < 2) {
                Thread.onSpinWait();
            }
            lost += endpoint.dispatchedSinceSample() == 1 ? 0 : 1;
            lease.close();
        }
        on.set(false);
        sampling.get(10, TimeUnit.SECONDS);
        sampler.shutdown();
        assertThat(lost).isZero();
        assertThat(endpoint.dispatchedSinceSample()).isZero();
    }

    @Test
    void aLiteralAddressIsResolvedAndANameIsNot() {
        assertThat(endpoint.address().isUnresolved()).isFalse();
        Endpoint v6 = new Endpoint(EndpointSpec.of("b", "::1", 8000, java.util.Map.of()));
        assertThat(v6.address().isUnresolved()).isFalse();
        assertThat(v6.spec().authority()).isEqualTo("[::1]:8000");
        assertThat(new Endpoint(EndpointSpec.of("c", "vllm-0", 8000, java.util.Map.of())).address().isUnresolved()).isTrue();
    }
}
