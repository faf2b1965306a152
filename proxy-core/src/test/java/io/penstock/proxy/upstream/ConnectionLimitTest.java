package io.penstock.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {

    private final Endpoint endpoint = endpoint("a");

    private static Endpoint endpoint(String name) {
        return new Endpoint(new EndpointSpec("default", name, "127.0.0.1", 1, Map.of()));
    }

    @Test
    void eachEndpointHasItsOwnPlaces() {
        ConnectionLimit limit = new ConnectionLimit(1);
        assertThat(limit.tryOpen(endpoint)).isTrue();
        assertThat(limit.tryOpen(endpoint)).isFalse();
        assertThat(limit.tryOpen(endpoint("b"))).isTrue();
        limit.closed(endpoint);
        assertThat(limit.open(endpoint)).isZero();
        assertThat(limit.tryOpen(endpoint)).isTrue();
    }

    @Test
    void manyThreadsNeverPassTheLimitAndLeaveNothingBehind() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(3);
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Callable<Void> worker = () -> {
            for (int i = 0; i < 20_000; i++) {
                if (limit.tryOpen(endpoint)) {
                    most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                    holders.decrementAndGet();
                    limit.closed(endpoint);
                }
            }
            return null;
        };
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Void>> done = new ArrayList<>(threads.invokeAll(List.of(worker, worker, worker, worker)));
            for (Future<Void> one : done) {
                one.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(most.get()).isBetween(1, 3);
        assertThat(limit.open(endpoint)).isZero();
    }

    @Test
    void aLimitBelowOneIsRefused() {
        assertThatThrownBy(() -> new ConnectionLimit(0)).hasMessage("maxConnectionsPerEndpoint: 0 (expected: at least 1)");
    }
}
