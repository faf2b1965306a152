package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.Lease;
import io.penstock.flow.Placement;
import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to requests, clients, servers and the pool: no charge is above its limit, and nothing of it stays. */
class ChargeExactnessEndToEndTest {

    private static final int REQUESTS = 20_000;
    private static final int CLIENTS = 8;
    private static final int LIMIT = 6;
    /** Below the number from which a connection that resets more than half of its young requests counts as an attack. */
    private static final int PER_CONNECTION = 400;
    private static final int OPEN = 10;

    /** Sees each charge as the drainer makes it: only the drainer adds, so what it reads can only be too low, never too high. */
    private static final class Watch implements FlowHooks {
        private final int prefillLimit;
        private final int decodeLimit;
        private final Set<EndpointView> charged = ConcurrentHashMap.newKeySet();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        private final AtomicLong dispatches = new AtomicLong();

        Watch(int prefillLimit, int decodeLimit) {
            this.prefillLimit = prefillLimit;
            this.decodeLimit = decodeLimit;
        }

        @Override
        public Placement around(Placement placement) {
            return request -> seen(placement, request);
        }

        private @Nullable Lease seen(Placement placement, AdmissionRequest request) {
            Lease lease = placement.place(request);
            if (lease != null) {
                dispatches.incrementAndGet();
                check(lease.endpoint(), decodeLimit);
                EndpointView prefill = lease.prefill();
                if (prefill == null) {
                    wrong.add(lease.endpoint().name() + " without a prefill server");
                } else {
                    check(prefill, prefillLimit);
                }
            }
            return lease;
        }

        private void check(EndpointView endpoint, int limit) {
            charged.add(endpoint);
            int now = endpoint.inFlightRequests();
            if (now > limit || now < 1 || endpoint.inFlightTokens() < 0) {
                wrong.add(endpoint.name() + ": " + now + " requests, " + endpoint.inFlightTokens() + " tokens (expected: 1.." + limit
                        + " and no token below 0)");
            }
        }
    }

    private static String picker(int limit) {
        return TwoStages.picker(1, limit, "  priorityBands: [{priority: 0, maxRequests: 60}]\n  defaultRequestTTL: 5s\n"
                + "  noEndpointRequestTTL: 5s").replace("concurrencyMode: tokens, maxTokenConcurrency: 1",
                "concurrencyMode: hybrid, maxConcurrency: " + 2 * limit + ", maxTokenConcurrency: 1000000");
    }

    @ParameterizedTest
    @ValueSource(longs = 1)
    void abortsDeathsAndReloadsLeaveNoChargeBehind(long seed) throws Exception {
        Watch watch = new Watch(2 * LIMIT, LIMIT);
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);
        try (TwoStages stages = new TwoStages(3, 3);
                RunningProxy proxy = stages.proxy(watch, 4, "timeouts: {responseHeaders: 2s, streamIdle: 2s}\n", picker(LIMIT))) {
            stages.decode.forEach(ChargeExactnessEndToEndTest::script);
            Future<?> trouble = threads.submit(() -> trouble(proxy, stages, new Random(seed), over));
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(seed * 100 + i);
                clients.add(threads.submit(() -> abuse(proxy, random)));
            }
            for (Future<?> client : clients) {
                client.get();
            }
            over.set(true);
            trouble.get();
            proxy.awaitQuiet();
            assertThat(watch.wrong).isEmpty();
            assertThat(watch.dispatches.get()).as("most were dispatched").isGreaterThan(REQUESTS / 4);
            assertThat(watch.charged).as("the pool's, and those that left it").hasSizeGreaterThanOrEqualTo(6);
            assertAllFree(watch);
            assertThat(proxy.metric("penstock_requests_total{")).as("one outcome each").isEqualTo(REQUESTS);
            assertThat(proxy.metric("penstock_buffered_body_bytes")).isZero();
        } finally {
            over.set(true);
            threads.shutdownNow();
            threads.awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    private static void assertAllFree(Watch watch) {
        Awaitility.await().pollInterval(Duration.ofMillis(2)).untilAsserted(() -> assertThat(watch.charged).allSatisfy(endpoint -> {
            assertThat(endpoint.inFlightRequests()).as(endpoint.name()).isZero();
            assertThat(endpoint.inFlightTokens()).as(endpoint.name()).isZero();
            assertThat(endpoint.dispatchedSinceSample()).as(endpoint.name()).isZero();
        }));
    }

    /** By the last digit of its id a request is answered at once, streamed, cut, or answered by the death of the connection. */
    private static void script(ScriptedBackend backend) {
        Map.of("1", Script.chatStream("one two three"),
                "2", Script.chatStream("one two three").dieAt(300, true),
                "3", Script.json(200, "{}").dieAt(0, false),
                "4", Script.empty().streamHead().chunk("data: 1\n\n").pause(Duration.ofMillis(2)).lastChunk(),
                "5", Script.raw("\u0001\u0002\r\n\r\n"),
                "6", Script.json(503, "{}").early())
                .forEach((fault, script) -> backend.answerWhen(seen -> fault.equals(seen.header("x-fault")), script));
    }

    /** Servers that lose their connections, refuse new ones and leave the pool and come back. */
    private static void trouble(RunningProxy proxy, TwoStages stages, Random random, AtomicBoolean over) {
        List<Settings> files = IntStream.range(0, 9).mapToObj(i -> without(stages, i / 3, i % 3)).toList();
        while (!over.get()) {
            ScriptedBackend unlucky = stages.decode.get(random.nextInt(3));
            switch (random.nextInt(5)) {
                case 0 -> unlucky.resetConnections();
                case 1 -> unlucky.closeConnections();
                case 2 -> {
                    unlucky.refuse();
                    LockSupport.parkNanos(3_000_000);
                    unlucky.listen();
                }
                default -> assertThat(proxy.proxy.reload(files.get(random.nextInt(9)))).isEmpty();
            }
            LockSupport.parkNanos(random.nextInt(30_000_000));
        }
        stages.decode.forEach(ScriptedBackend::listen);
        assertThat(proxy.proxy.reload(files.get(0))).isEmpty();
    }

    /** Read once: a reload is then no more than what the proxy does for it. */
    private static Settings without(TwoStages stages, int prefillFrom, int decodeFrom) {
        return RunningProxy.settings(RunningProxy.yaml(List.of(), "timeouts: {responseHeaders: 2s, streamIdle: 2s}\n"
                + stages.endpoints(prefillFrom, decodeFrom), picker(LIMIT)));
    }

    private static Void abuse(RunningProxy proxy, Random random) throws Exception {
        int left = REQUESTS / CLIENTS;
        while (left > 0) {
            int now = Math.min(left, PER_CONNECTION);
            left -= now;
            try (Http2RawClient client = proxy.http2()) {
                Deque<Integer> open = new ArrayDeque<>();
                for (int i = 0; i < now; i++) {
                    open.add(send(client, random));
                    if (open.size() == OPEN || random.nextInt(4) == 0) {
                        end(client, open.poll(), random);
                    }
                }
                // The rest is left to the end of the connection; before that, the proxy has read everything.
                client.roundTrip();
            }
        }
        return null;
    }

    private static int send(Http2RawClient client, Random random) {
        String fault = Integer.toString(random.nextInt(12));
        byte[] body = ("{\"prompt\":\"" + "word".repeat(random.nextInt(50)) + "\"}").getBytes(StandardCharsets.US_ASCII);
        return client.request(body, ":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/completions",
                "x-fault", fault);
    }

    private static void end(Http2RawClient client, int stream, Random random) {
        if (random.nextInt(3) == 0) {
            client.reset(stream, Http2Frame.CANCEL);
        } else {
            client.response(stream);
        }
    }

    /** Without aborts both sides count the same at every moment at which nothing moves. */
    @Test
    void theServersOwnCountsAgree() throws Exception {
        Watch watch = new Watch(1_000, LIMIT);
        try (TwoStages stages = new TwoStages(2, 3); RunningProxy proxy = stages.proxy(watch, 2, "", picker(LIMIT));
                Http2RawClient client = proxy.http2()) {
            stages.decode.forEach(server -> server.hold().answer(Script.chatStream("one two")));
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 4 * LIMIT; i++) {
                streams.add(TwoStages.completion(client, 1 + i));
            }
            proxy.awaitWaiting(0, LIMIT);
            Random random = new Random(3);
            int waiting = LIMIT;
            for (int left = streams.size(); left > 0; left--) {
                awaitAgreement(proxy, stages, left - waiting);
                List<ScriptedBackend> busy = stages.decode.stream().filter(server -> server.running() > 0).toList();
                busy.get(random.nextInt(busy.size())).releaseOne();
                waiting = Math.max(0, waiting - 1);
            }
            for (int stream : streams) {
                assertThat(client.response(stream).complete()).isTrue();
            }
            proxy.awaitQuiet();
            awaitAgreement(proxy, stages, 0);
            assertThat(watch.wrong).isEmpty();
            assertAllFree(watch);
        }
    }

    private static void awaitAgreement(RunningProxy proxy, TwoStages stages, int running) {
        Awaitility.await().pollInterval(Duration.ofMillis(1)).untilAsserted(() -> {
            List<Integer> ours = proxy.proxy.endpoints().stream().filter(row -> "decode".equals(row.role()))
                    .map(row -> row.inFlightRequests()).toList();
            assertThat(ours).isEqualTo(stages.decode.stream().map(ScriptedBackend::running).toList());
            assertThat(ours.stream().mapToInt(i -> i).sum()).isEqualTo(running);
        });
    }
}
