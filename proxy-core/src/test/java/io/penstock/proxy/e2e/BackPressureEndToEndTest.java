package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody is read faster than the other side takes it, and nobody pays for another's slowness. */
class BackPressureEndToEndTest {

    private static final int MANY = 48 << 20;
    /** What both kernels and the proxy may hold of one exchange; far below what is sent. */
    private static final long BOUND = 12 << 20;
    private static final byte[] BLOCK = new byte[16 << 10];
    private static final String LARGE_BODIES = "limits: {maxRequestBodyBytes: 64Mi}\n";
    private static final String PICKER = RunningProxy.PICKER.formatted(64);

    /** The common pool has too few threads for two that block. */
    private static final Executor THREAD_EACH = task -> new Thread(task, "upload").start();

    private final AtomicLong moved = new AtomicLong();

    /** Sends {@link #MANY} bytes after each head and counts them. */
    private SocketBackend pouring() throws IOException {
        return SocketBackend.start(connection -> {
            while (connection.head() != null) {
                connection.in().readNBytes(2);
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: " + MANY + "\r\n\r\n");
                for (int sent = 0; sent < MANY; sent += BLOCK.length) {
                    connection.out().write(BLOCK);
                    moved.addAndGet(BLOCK.length);
                }
            }
        });
    }

    /** Waits until the count stands still, and says where. */
    private long standstill() {
        AtomicLong before = new AtomicLong(-1);
        Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(250))
                .until(() -> moved.get() > 0 && before.getAndSet(moved.get()) == moved.get());
        return moved.get();
    }

    @Test
    void anHttp2ClientThatDoesNotReadStopsTheReadFromTheBackend() throws Exception {
        try (SocketBackend backend = pouring();
                RunningProxy proxy = RunningProxy.start(1, List.of(), backend.endpoints(), PICKER);
                Http2RawClient client = Http2RawClient.to(proxy.port()).noWindowUpdates().open()) {
            int stream = Calls.post(client);
            client.responseHeaders(stream);
            assertThat(standstill()).isLessThan(BOUND);
            client.windowUpdate(0, MANY);
            client.windowUpdate(stream, MANY);
            Http2Response response = client.response(stream);
            assertThat(response.complete()).isTrue();
            assertThat(response.body()).hasSize(MANY);
            proxy.awaitQuiet();
        }
    }

    @Test
    void anHttp1ClientThatDoesNotReadStopsTheReadFromTheBackend() throws Exception {
        try (SocketBackend backend = pouring();
                RunningProxy proxy = RunningProxy.start(1, List.of(), backend.endpoints(), PICKER);
                Http1RawClient client = Http1RawClient.connect(proxy.port(), Duration.ofSeconds(10), 64 << 10, null)) {
            Calls.post(client);
            assertThat(client.head().status()).isEqualTo(200);
            assertThat(standstill()).isLessThan(BOUND);
            assertThat(client.exactly(MANY)).hasSize(MANY);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aStalledStreamDoesNotStallItsNeighbours() throws Exception {
        try (SocketBackend backend = pouring(); ScriptedBackend other = ScriptedBackend.start()) {
            other.answer(Script.json(200, "x".repeat(30_000)));
            String endpoints = "endpoints: [" + SocketBackend.endpoint("pouring", backend.port()) + ']';
            try (RunningProxy pouring = RunningProxy.start(1, List.of(), endpoints + '\n', PICKER);
                    Http2RawClient client = Http2RawClient.to(pouring.port()).initialWindow(0).open()) {
                int stalled = Calls.post(client);
                client.responseHeaders(stalled);
                assertThat(standstill()).isLessThan(BOUND);
                assertThat(pouring.proxy.reload(RunningProxy.settings(RunningProxy.yaml(List.of(other), "", PICKER)))).isEmpty();
                for (int i = 0; i < 50; i++) {
                    int neighbour = Calls.post(client);
                    client.windowUpdate(neighbour, 1 << 20);
                    assertThat(client.response(neighbour).body()).hasSize(30_000);
                }
                assertThat(client.frames(Http2Frame.DATA, stalled)).isEmpty();
                client.windowUpdate(stalled, MANY);
                Http2Response response = client.response(stalled);
                assertThat(response.complete()).as("its endpoint has left the pool meanwhile").isTrue();
                assertThat(response.body()).hasSize(MANY);
                pouring.awaitQuiet();
            }
        }
    }

    @Test
    void aBackendThatDoesNotReadStopsTheUpload() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        try (SocketBackend backend = SocketBackend.start(connection -> {
            connection.head();
            read.await();
            connection.in().skipNBytes(MANY);
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        });
                RunningProxy proxy = RunningProxy.start(1, List.of(), backend.endpoints() + LARGE_BODIES, PICKER);
                Http2RawClient client = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            int stream = client.open(Calls.head("POST", "content-length", Integer.toString(MANY)));
            CompletableFuture<Http2Response> upload = CompletableFuture.supplyAsync(() -> {
                for (int sent = 0; sent < MANY; sent += BLOCK.length) {
                    client.body(stream, BLOCK, sent + BLOCK.length == MANY);
                    moved.addAndGet(BLOCK.length);
                }
                return client.response(stream);
            }, THREAD_EACH);
            assertThat(standstill()).isLessThan(BOUND);
            moved.set(0);
            http1.send(Calls.http1("POST", MANY));
            CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> {
                for (int sent = 0; sent < MANY; sent += BLOCK.length) {
                    http1.send(BLOCK);
                    moved.addAndGet(BLOCK.length);
                }
                return http1.response().text();
            }, THREAD_EACH);
            assertThat(standstill()).isLessThan(BOUND);
            read.countDown();
            assertThat(upload.get().status()).isEqualTo(200);
            assertThat(second.get()).isEqualTo("ok");
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void uploadsThatWaitTakeOneWindowEachAndNoneOfTheirNeighbours(int loops) throws Exception {
        byte[] body = new byte[256 << 10];
        try (ScriptedBackend backend = ScriptedBackend.start();
                RunningProxy proxy = RunningProxy.start(loops, List.of(backend), "", RunningProxy.PICKER.formatted(1));
                Http2RawClient client = proxy.http2()) {
            backend.answer(Script.empty().hold("gate").send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
            int running = Calls.post(client);
            backend.awaitRunning(1);
            List<Integer> waiting = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int stream = client.open(Calls.head("POST"));
                waiting.add(stream);
                client.roundTrip();
                client.body(stream, new byte[Http2RawClient.DEFAULT_WINDOW], false);
                client.roundTrip();
                assertThat(client.credit(stream)).as("a stream's own window is used up").isZero();
            }
            proxy.awaitWaiting(0, 20);
            assertThat(client.credit(client.newStream())).as("a new stream has its whole window").isEqualTo(Http2RawClient.DEFAULT_WINDOW);
            backend.answerWhen(seen -> seen.method().equals("PUT"), Script.json(200, "{}"));
            assertThat(client.response(client.request(Calls.head("PUT"))).status()).as("a request that does not wait").isEqualTo(200);
            backend.release("gate");
            assertThat(client.response(running).status()).isEqualTo(200);
            for (int stream : waiting) {
                client.body(stream, body, true);
                assertThat(client.response(stream).status()).isEqualTo(200);
            }
            assertThat(backend.requests()).filteredOn(seen -> seen.bodyBytes() > 2).hasSize(20)
                    .allMatch(seen -> seen.bodyBytes() == body.length + Http2RawClient.DEFAULT_WINDOW);
            proxy.awaitQuiet();
        }
    }
}
