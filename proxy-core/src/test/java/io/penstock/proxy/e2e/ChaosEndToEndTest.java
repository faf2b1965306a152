package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Everything that can go wrong, at once and by chance: each request ends, once, and nothing of it is left. */
class ChaosEndToEndTest {

    private static final int THREADS = 6;
    private static final int EACH = 150;
    private static final String KEYS = "timeouts: {responseHeaders: 400ms, streamIdle: 400ms, writeStall: 2s}\n"
            + "upstream: {connectTimeout: 500ms, idleTimeout: 50ms}\n";
    private static final String PICKER = RunningProxy.PICKER.formatted(4)
            + "  priorityBands: [{priority: 0, maxRequests: 30}]\n  defaultRequestTTL: 2s\n  noEndpointRequestTTL: 2s\n";
    private static final Map<String, Script> FAULTS = Map.of(
            "json", Script.chat("one two three"),
            "stream", Script.chatStream("one two three four five"),
            "refusal", Script.json(400, "{}").early(),
            "dead", Script.json(200, "{}").dieAt(0, true),
            "closed", Script.json(200, "{}").dieAt(0, false),
            "cut", Script.chatStream("one two three").dieAt(300, true),
            "short", Script.chatStream("one two three").dieAt(300, false),
            "garbage", Script.raw("\u0001\u0002\r\n\r\n"),
            "silent", Script.never(),
            "halting", Script.empty().streamHead().chunk("data: 1\n\n").silence());

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger sent = new AtomicInteger();

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 2"})
    void eachRequestEndsOnceAndLeavesNothing(int loops, long seed) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
        List<ScriptedBackend> backends = List.of(ScriptedBackend.start(), ScriptedBackend.start(), ScriptedBackend.start());
        backends.forEach(ChaosEndToEndTest::script);
        try (RunningProxy proxy = RunningProxy.start(loops, backends, KEYS, PICKER)) {
            Future<?> trouble = threads.submit(() -> trouble(proxy, backends, new Random(seed)));
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed * 100 + i);
                boolean http2 = i % 3 != 0;
                clients.add(threads.submit(() -> {
                    if (http2) {
                        http2(proxy, random);
                    } else {
                        http1(proxy, random);
                    }
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
            over.set(true);
            trouble.get();
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_requests_total{")).as("one end each").isEqualTo(sent.get());
            assertThat(proxy.metric("penstock_streams_open{")).isZero();
            assertThat(proxy.metric("penstock_requests_total{cause=\"internal\"")).isZero();
            backends.forEach(backend -> backend.awaitRunning(0));
            assertDeliveries(backends);
            try (Http2RawClient client = proxy.http2()) {
                Http2Response response = client.response(Calls.post(client, "x-fault", "json"));
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.all(Calls.HEADROOM)).containsExactly("30");
            }
        } finally {
            over.set(true);
            threads.shutdownNow();
            threads.awaitTermination(10, TimeUnit.SECONDS);
            backends.forEach(ScriptedBackend::close);
        }
    }

    private static void script(ScriptedBackend backend) {
        FAULTS.forEach((name, script) -> backend.answerWhen(seen -> name.equals(seen.header("x-fault")), script));
    }

    /** Nothing was delivered more than twice, and what was answered, well or not, only once. */
    private static void assertDeliveries(List<ScriptedBackend> backends) {
        Map<String, Long> deliveries = backends.stream().flatMap(backend -> backend.requests().stream())
                .collect(Collectors.groupingBy(seen -> seen.header("x-fault") + ' ' + seen.header("x-number"), Collectors.counting()));
        assertThat(deliveries).allSatisfy((request, times) -> assertThat(times).as(request).isLessThanOrEqualTo(2));
    }

    private void trouble(RunningProxy proxy, List<ScriptedBackend> backends, Random random) {
        while (!over.get()) {
            ScriptedBackend victim = backends.get(random.nextInt(2));
            switch (random.nextInt(5)) {
                case 0 -> {
                    victim.refuse();
                    pause(random, 20);
                    victim.listen();
                }
                case 1 -> victim.resetConnections();
                case 2 -> victim.closeConnections();
                case 3 -> {
                    List<ScriptedBackend> less = new ArrayList<>(backends);
                    less.remove(victim);
                    reload(proxy, less);
                    pause(random, 20);
                    reload(proxy, backends);
                }
                default -> pause(random, 10);
            }
            pause(random, 10);
        }
    }

    private static void reload(RunningProxy proxy, List<ScriptedBackend> backends) {
        assertThat(proxy.proxy.reload(RunningProxy.settings(RunningProxy.yaml(backends, KEYS, PICKER)))).isEmpty();
    }

    private static void pause(Random random, int atMostMillis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(atMostMillis)));
    }

    private static String fault(Random random) {
        List<String> names = FAULTS.keySet().stream().sorted().toList();
        return random.nextInt(3) > 0 ? "json" : names.get(random.nextInt(names.size()));
    }

    private void http2(RunningProxy proxy, Random random) throws Exception {
        int left = EACH;
        while (left > 0) {
            int now = Math.min(left, 1 + random.nextInt(30));
            left -= now;
            try (Http2RawClient client = proxy.http2()) {
                List<Integer> streams = new ArrayList<>();
                for (int i = 0; i < now; i++) {
                    String[] head = Calls.head("POST", "x-fault", fault(random), "x-number", Integer.toString(sent.incrementAndGet()));
                    streams.add(client.request(new byte[1 + random.nextInt(2_000)], head));
                    if (random.nextInt(5) == 0) {
                        client.reset(streams.remove(random.nextInt(streams.size())), Http2Frame.CANCEL);
                    }
                }
                boolean leaves = random.nextInt(3) == 0;
                client.roundTrip();
                for (int stream : leaves ? List.<Integer>of() : streams) {
                    Http2Response response = client.response(stream);
                    assertThat(response.status()).isIn(0, 200, 400, 429, 502, 503, 504);
                }
            }
        }
    }

    private void http1(RunningProxy proxy, Random random) throws Exception {
        for (int i = 0; i < EACH; i++) {
            try (Http1RawClient client = proxy.http1()) {
                int size = 1 + random.nextInt(100_000);
                String fault = fault(random);
                client.send(Calls.http1("POST", size, "Connection: close", "x-fault: " + fault, "x-number: " + sent.incrementAndGet()));
                client.send(new byte[size]);
                assertThat(client.head().status()).as(fault).isIn(200, 400, 429, 502, 503, 504);
                // Half of them leave in the middle of the body, if it is still on its way.
                if (random.nextBoolean()) {
                    client.untilEof();
                }
            }
        }
    }
}
