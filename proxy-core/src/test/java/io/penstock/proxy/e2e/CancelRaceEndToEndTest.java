package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.BandView;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ten thousand requests given up at random moments around their dispatch: no counter leaves its range, and each returns to its start. */
class CancelRaceEndToEndTest {

    private static final int REQUESTS = 10_000;
    private static final int CLIENTS = 8;
    private static final int CAPACITY = 50;
    /** Below the number from which a connection that resets more than half of its young requests counts as an attack. */
    private static final int PER_CONNECTION = 450;
    /** Open at a time on one connection: all together fill the endpoints and the band and are refused now and then. */
    private static final int OPEN = 10;

    private final AtomicBoolean over = new AtomicBoolean();

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void everyCounterReturnsToItsStart(long seed) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);
        String picker = RunningProxy.PICKER.formatted(8) + "  priorityBands: [{priority: 0, maxRequests: " + CAPACITY + "}]\n";
        try (ScriptedBackend one = ScriptedBackend.start(); ScriptedBackend two = ScriptedBackend.start();
                RunningProxy proxy = RunningProxy.start(4, List.of(one, two), "", picker)) {
            Future<List<Long>> strays = threads.submit(() -> watch(proxy));
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(seed * 100 + i);
                clients.add(threads.submit(() -> {
                    abuse(proxy, random);
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
            proxy.awaitQuiet();
            over.set(true);
            assertThat(strays.get()).as("lengths outside 0..%d", CAPACITY).isEmpty();
            assertThat(proxy.metric("penstock_requests_total{")).as("one outcome each").isEqualTo(REQUESTS);
            BandView band = proxy.band(0);
            assertThat(band.dispatchedTotal()).as("some were dispatched").isPositive();
            try (Http2RawClient client = proxy.http2()) {
                assertThat(client.response(Calls.post(client)).all(Calls.HEADROOM)).containsExactly(Integer.toString(CAPACITY));
            }
            proxy.awaitQuiet();
            assertThat(one.running() + two.running()).isZero();
        } finally {
            over.set(true);
            threads.shutdownNow();
            threads.awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    /** Every length of the band that is out of range, and every count of running requests that is. */
    private List<Long> watch(RunningProxy proxy) {
        List<Long> strays = new ArrayList<>();
        while (!over.get()) {
            long length = proxy.band(0).requests();
            if (length < 0 || length > CAPACITY) {
                strays.add(length);
            }
            proxy.proxy.endpoints().stream().mapToLong(row -> row.inFlightRequests()).filter(running -> running < 0 || running > 8)
                    .forEach(running -> strays.add(1_000_000 + running));
            LockSupport.parkNanos(20_000);
        }
        return strays;
    }

    private static void abuse(RunningProxy proxy, Random random) throws Exception {
        int left = REQUESTS / CLIENTS;
        while (left > 0) {
            int now = Math.min(left, PER_CONNECTION);
            left -= now;
            try (Http2RawClient client = proxy.http2()) {
                Deque<Integer> open = new ArrayDeque<>();
                for (int i = 0; i < now; i++) {
                    open.add(Calls.post(client));
                    LockSupport.parkNanos(random.nextInt(600_000));
                    if (open.size() == OPEN || random.nextInt(4) == 0) {
                        client.reset(open.poll(), Http2Frame.CANCEL);
                    }
                }
                // The rest is left to the end of the connection; before that, the proxy has read everything.
                client.roundTrip();
            }
        }
    }
}
