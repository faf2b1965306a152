package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Requests that race with the start of a drain (DRN-03): each ends, answered or refused, and none is left behind. */
class DrainRaceTest {

    private static final int ROUNDS = 20;
    private static final int REQUESTS = 90;
    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final String HTTP1 = "POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}";

    @Test
    void everyRequestThatRacesADrainEnds() throws Exception {
        Random random = new Random(3);
        try (ScriptedBackend backend = ScriptedBackend.start()) {
            for (int round = 0; round < ROUNDS; round++) {
                try (RunningProxy proxy = RunningProxy.start(2, List.of(backend), "", RunningProxy.PICKER.formatted(5));
                        Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
                    http2.roundTrip();
                    race(proxy, http2, http1, random.nextInt(REQUESTS));
                    proxy.awaitQuiet();
                }
            }
        }
    }

    private static void race(RunningProxy proxy, Http2RawClient http2, Http1RawClient http1, int drainAt) throws Exception {
        CountDownLatch now = new CountDownLatch(1);
        Thread drainer = new Thread(() -> {
            try {
                now.await();
                proxy.proxy.drain();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        drainer.start();
        http1.send(HTTP1);
        TreeSet<Integer> sent = new TreeSet<>();
        try {
            for (int i = 0; i < REQUESTS; i++) {
                if (i == drainAt) {
                    now.countDown();
                }
                sent.add(post(http2));
            }
        } catch (UncheckedIOException closedMeanwhile) {
            assertThat(sent).isNotEmpty();
        }
        drainer.join();
        http2.awaitClosed();
        List<Http2Frame> goAways = http2.frames(Http2Frame.GOAWAY, 0);
        assertThat(goAways).hasSize(2).extracting(Http2Frame::errorCode).containsOnly((long) Http2Frame.NO_ERROR);
        long lastTaken = goAways.get(1).lastStream();
        for (int stream : sent.headSet((int) lastTaken, true)) {
            assertThat(http2.frames()).as("stream " + stream + " up to the last one taken, " + lastTaken)
                    .anyMatch(frame -> frame.stream() == stream && (frame.ends() || frame.type() == Http2Frame.RST_STREAM));
        }
        Http1Response answer = http1.response();
        while (answer.header("connection").isEmpty()) {
            assertThat(answer.status()).isEqualTo(200);
            http1.send(HTTP1);
            answer = http1.response();
        }
        assertThat(answer.status()).as("on a connection that nobody was told to leave").isEqualTo(200);
        assertThat(answer.header("connection")).hasValue("close");
        assertThat(http1.untilEof()).isEmpty();
        // The proxy waits for its clients to close their side too.
        http1.halfClose();
        http2.halfClose();
        proxy.proxy.awaitDrained();
    }

    private static int post(Http2RawClient client) {
        return client.request(BODY, ":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x");
    }

    @Test
    void whatWaitsKeepsItsBudgetDuringADrain() throws Exception {
        try (ScriptedBackend backend = ScriptedBackend.start();
                RunningProxy proxy = RunningProxy.start(2, List.of(backend), "", RunningProxy.PICKER.formatted(1));
                Http2RawClient client = proxy.http2()) {
            backend.hold();
            int running = post(client);
            backend.awaitRunning(1);
            int shortOfTime = client.request(BODY, ":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x",
                    "x-llm-d-inference-ttl", "2s");
            int patient = post(client);
            proxy.awaitWaiting(0, 2);
            proxy.proxy.drain();
            Http2Response expired = client.response(shortOfTime);
            assertThat(expired.status()).isEqualTo(429);
            assertThat(expired.header("x-llm-d-request-dropped-reason")).hasValue("rejected-ttl-expired");
            assertThat(proxy.band(0).requests()).isEqualTo(1);
            backend.release();
            assertThat(client.response(running).status()).isEqualTo(200);
            assertThat(client.response(patient).status()).isEqualTo(200);
            client.awaitClosed();
            proxy.proxy.awaitDrained();
        }
    }

    @Test
    void aClientThatNeverSaysAnythingDoesNotHoldADrainUp() throws Exception {
        try (ScriptedBackend backend = ScriptedBackend.start();
                RunningProxy proxy = RunningProxy.start(2, List.of(backend), "drain: {timeout: 60s}\n", "");
                Http1RawClient silent = proxy.http1()) {
            org.awaitility.Awaitility.await().until(() -> proxy.proxy.openConnections() == 1);
            proxy.proxy.drain();
            assertThat(silent.untilEof()).isEmpty();
            proxy.proxy.awaitDrained();
        }
    }

    @Test
    void aProxyWithoutRequestsDrainsAtOnce() throws Exception {
        try (ScriptedBackend backend = ScriptedBackend.start();
                RunningProxy proxy = RunningProxy.start(2, List.of(backend), "drain: {timeout: 60s}\n", "")) {
            long begun = System.nanoTime();
            proxy.proxy.drain();
            proxy.proxy.awaitDrained();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        }
    }
}
