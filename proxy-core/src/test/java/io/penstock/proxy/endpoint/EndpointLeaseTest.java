package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndpointLeaseTest {

    private final Endpoint decode = new Endpoint(Fleet.spec("d", 1));
    private final Endpoint prefill = new Endpoint(Fleet.spec("p", 2));
    private final AtomicInteger signals = new AtomicInteger();

    private EndpointLease charge(@Nullable Endpoint helper, long tokens, boolean promptOnly) {
        return EndpointLease.charge(decode, helper, tokens, promptOnly, signals::incrementAndGet);
    }

    private void assertCharged(Endpoint endpoint, int requests, long tokens) {
        assertThat(endpoint.inFlightRequests()).isEqualTo(requests);
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(requests);
        assertThat(endpoint.inFlightTokens()).isEqualTo(tokens);
    }

    @Test
    void aPromptsTokensAreGivenBackAtTheFirstByteAndTheRequestAtTheEnd() {
        EndpointLease lease = charge(null, 7, true);
        assertCharged(decode, 1, 7);
        lease.firstByte();
        assertCharged(decode, 1, 0);
        assertThat(signals).hasValue(1);
        lease.firstByte();
        lease.close();
        lease.firstByte();
        lease.close();
        assertCharged(decode, 0, 0);
        assertThat(signals).hasValue(2);
    }

    @Test
    void tokensThatStandForTheAnswerTooStayUntilItsEnd() {
        EndpointLease lease = charge(null, 7, false);
        lease.firstByte();
        assertCharged(decode, 1, 7);
        assertThat(signals).as("nothing was given back, so nobody is told").hasValue(0);
        lease.close();
        assertCharged(decode, 0, 0);
    }

    @Test
    void thePrefillServerIsFreeAtTheFirstByteWhateverTheTokensStandFor() {
        for (boolean promptOnly : new boolean[] {true, false}) {
            EndpointLease lease = charge(prefill, 7, promptOnly);
            assertThat(lease.prefill()).isSameAs(prefill);
            assertCharged(prefill, 1, 7);
            assertCharged(decode, 1, 7);
            lease.firstByte();
            assertCharged(prefill, 0, 0);
            assertCharged(decode, 1, promptOnly ? 0 : 7);
            lease.close();
            assertCharged(decode, 0, 0);
            assertCharged(prefill, 0, 0);
        }
    }

    @Test
    void anEndWithoutAByteGivesBothBack() {
        charge(prefill, 7, true).close();
        assertCharged(decode, 0, 0);
        assertCharged(prefill, 0, 0);
        assertThat(signals).hasValue(1);
        charge(prefill, 7, true).undo();
        assertCharged(decode, 0, 0);
        assertCharged(prefill, 0, 0);
        assertThat(signals).as("an undone charge was never there").hasValue(1);
    }

    /** A first byte on one thread and an eviction's close on another, many times: each part is given back once. */
    @Test
    void aFirstByteThatRacesTheEndGivesNothingBackTwice() throws Exception {
        int rounds = 3_000;
        List<EndpointLease> leases = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            leases.add(charge(prefill, 3, i % 2 == 0));
        }
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> bytes = threads.submit(() -> each(leases, together, EndpointLease::firstByte));
            Future<?> ends = threads.submit(() -> each(leases, together, EndpointLease::close));
            bytes.get();
            ends.get();
        } finally {
            threads.shutdownNow();
        }
        assertCharged(decode, 0, 0);
        assertCharged(prefill, 0, 0);
    }

    private static Void each(List<EndpointLease> leases, CyclicBarrier together, Consumer<EndpointLease> what)
            throws Exception {
        for (EndpointLease lease : leases) {
            together.await();
            what.accept(lease);
        }
        return null;
    }
}
