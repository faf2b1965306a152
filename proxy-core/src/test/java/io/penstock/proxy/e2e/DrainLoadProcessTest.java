package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SIGTERM under a dispatcher's load: two hundred requests that run, wait and arrive, over both protocols. A client that honours
 * {@code connection: close} and GOAWAY gets an answer to every request, or knows that it may send it again.
 */
class DrainLoadProcessTest {

    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final String POST = "POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}";
    private static final int HTTP1_WORKERS = 120;
    private static final int HTTP2_WORKERS = 4;
    private static final int STREAMS = 20;

    @TempDir
    private Path directory;

    private final ScriptedBackend backend = ScriptedBackend.start();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger answeredWithClose = new AtomicInteger();
    private final AtomicInteger goAways = new AtomicInteger();
    private final AtomicInteger replayable = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void noRequestOfARunningDispatcherEndsInATransportError() throws Exception {
        backend.answer(Script.empty().pause(Duration.ofMillis(4)).head(200, "Content-Length: 2").send("{}"));
        Path file = Files.writeString(directory.resolve("penstock.yaml"),
                RunningProxy.yaml(List.of(backend), "", RunningProxy.PICKER.formatted(16)));
        try (ChildProcess child = ChildProcess.serve(file)) {
            List<Thread> workers = new ArrayList<>();
            for (int i = 0; i < HTTP1_WORKERS; i++) {
                int thinkMillis = i % 2 == 0 ? 0 : 200;
                workers.add(start(() -> http1(child.port(), thinkMillis)));
            }
            for (int i = 0; i < HTTP2_WORKERS; i++) {
                workers.add(start(() -> http2(child.port())));
            }
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> answered.get() > 2_000 || !wrong.isEmpty());
            child.terminate();
            for (Thread worker : workers) {
                worker.join(TimeUnit.SECONDS.toMillis(30));
                assertThat(worker.isAlive()).as("a worker still waits").isFalse();
            }
            assertThat(child.exitCode()).isZero();
            assertThat(wrong).isEmpty();
            assertThat(answeredWithClose).as("answers that say close").hasPositiveValue();
            assertThat(goAways.get()).as("GOAWAY frames").isGreaterThanOrEqualTo(2 * HTTP2_WORKERS);
            assertThat(child.err().all()).anyMatch(line -> line.contains("Drained: 0 requests were reset"));
        }
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work, "worker");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void http1(int port, int thinkMillis) {
        while (true) {
            Http1RawClient client = dial(() -> Http1RawClient.connect(port));
            if (client == null) {
                return;
            }
            int served = 0;
            try (client) {
                for (boolean open = true; open; served++) {
                    client.send(POST);
                    Http1Response response = client.response();
                    answer(response.status(), response.text());
                    open = response.header("connection").isEmpty();
                    think(thinkMillis);
                }
                answeredWithClose.incrementAndGet();
            } catch (RuntimeException | AssertionError e) {
                wrong.add("HTTP/1.1 after " + served + " answers on this connection and " + answered + " in all: " + e);
                return;
            }
        }
    }

    private void think(int atMostMillis) {
        if (atMostMillis > 0) {
            try {
                never.await(ThreadLocalRandom.current().nextInt(atMostMillis), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void http2(int port) {
        while (true) {
            Http2RawClient client = dial(() -> Http2RawClient.connect(port));
            if (client == null) {
                return;
            }
            try (client) {
                streams(client);
            } catch (RuntimeException | AssertionError e) {
                wrong.add("HTTP/2: " + e);
                return;
            }
        }
    }

    /** Keeps its window full until it is told to go away, then takes what it is owed. */
    private void streams(Http2RawClient client) {
        Deque<Integer> open = new ArrayDeque<>();
        while (client.frames(Http2Frame.GOAWAY, 0).isEmpty()) {
            while (open.size() < STREAMS) {
                open.add(client.request(BODY, ":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x"));
            }
            take(client, open.remove());
        }
        client.awaitClosed();
        List<Http2Frame> frames = client.frames(Http2Frame.GOAWAY, 0);
        goAways.addAndGet(frames.size());
        long last = frames.get(frames.size() - 1).lastStream();
        for (int stream : open) {
            if (stream > last) {
                replayable.incrementAndGet();
            } else {
                take(client, stream);
            }
        }
    }

    private void take(Http2RawClient client, int stream) {
        Http2Response response = client.response(stream);
        answer(response.status(), response.complete() ? response.text() : "incomplete");
    }

    private void answer(int status, String body) {
        answered.incrementAndGet();
        if (status != 200 || !body.equals("{}")) {
            wrong.add(status + " " + body);
        }
    }

    /** A port that is closed is how a dispatcher learns to go elsewhere. */
    private <C> @Nullable C dial(Supplier<C> connect) {
        try {
            return connect.get();
        } catch (UncheckedIOException e) {
            if (!(e.getCause() instanceof ConnectException)) {
                wrong.add("dial: " + e.getCause());
            }
            return null;
        }
    }
}
