package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a real process: SIGTERM, a second SIGTERM, {@code POST /drain}, the drain timeout. */
class DrainProcessTest {

    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final String POST = "POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}";

    @TempDir
    private Path directory;

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private ChildProcess serve(String... arguments) throws IOException {
        return serveWith("", arguments);
    }

    /** Two requests run at a time. */
    private ChildProcess serveWith(String proxyKeys, String... arguments) throws IOException {
        Path file = Files.writeString(directory.resolve("penstock.yaml"),
                RunningProxy.yaml(List.of(backend), proxyKeys, RunningProxy.PICKER.formatted(2)));
        return ChildProcess.serve(file, arguments);
    }

    private static int post(Http2RawClient client) {
        return client.request(BODY, ":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x");
    }

    private static void awaitWaiting(ChildProcess child, int requests) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(10))
                .until(() -> child.admin("GET", "/bands").body().contains("\"requests\":" + requests + ","));
    }

    @Test
    void whatRunsAndWhatWaitsIsFinishedAfterSigterm() throws Exception {
        backend.hold();
        try (ChildProcess child = serve(); Http2RawClient http2 = Http2RawClient.connect(child.port());
                Http1RawClient http1 = Http1RawClient.connect(child.port()); Http1RawClient idle = Http1RawClient.connect(child.port())) {
            assertThat(child.admin("GET", "/ready").statusCode()).isEqualTo(200);
            idle.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
            backend.awaitRunning(1).releaseOne();
            assertThat(idle.response().header("connection")).isEmpty();
            int running = post(http2);
            backend.awaitRunning(1);
            http1.send(POST);
            backend.awaitRunning(2);
            int waiting = post(http2);
            awaitWaiting(child, 1);

            child.terminate();

            Http2Frame first = http2.await(Http2Frame.GOAWAY, 0);
            assertThat(first.lastStream()).isEqualTo(Integer.MAX_VALUE);
            assertThat(first.errorCode()).isEqualTo(Http2Frame.NO_ERROR);
            Http2Frame second = http2.await("the second GOAWAY", frame -> frame.is(Http2Frame.GOAWAY, 0) && frame != first);
            assertThat(second.lastStream()).isEqualTo(waiting);
            assertThat(idle.untilEof()).isEmpty();
            assertThat(child.admin("GET", "/ready").statusCode()).isEqualTo(503);
            assertThat(child.admin("GET", "/live").statusCode()).isEqualTo(200);
            assertThat(backend.requests()).as("the third waits on").hasSize(3);

            backend.release();
            assertThat(http2.response(running).status()).isEqualTo(200);
            assertThat(http2.response(waiting).status()).as("waited with its budget untouched").isEqualTo(200);
            Http1Response response = http1.response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("connection")).hasValue("close");
            assertThat(http1.untilEof()).isEmpty();
            http2.awaitClosed();
            assertThat(child.exitCode()).isZero();
            assertThat(child.err().all()).anyMatch(line -> line.contains("Draining: 3 requests on 3 connections"))
                    .anyMatch(line -> line.contains("Drained: 0 requests were reset"));
        }
    }

    @Test
    void withNobodyConnectedTheListenerStaysOpenForTheGraceTime() throws Exception {
        try (ChildProcess child = serveWith("drain: {grace: 4s}\n")) {
            child.terminate();
            child.err().await("Draining: 0 requests on 0 connections");
            Awaitility.await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(10)).until(() -> opens(child.port()));
            try (Http1RawClient late = Http1RawClient.connect(child.port())) {
                late.send(POST);
                assertThat(late.response().status()).isEqualTo(200);
            }
            assertThat(child.exitCode()).isZero();
        }
    }

    @Test
    void duringTheGraceTimeLateArrivalsAreServed() throws Exception {
        try (ChildProcess child = serveWith("drain: {grace: 3s}\n"); Http2RawClient http2 = Http2RawClient.connect(child.port())) {
            http2.roundTrip();
            child.terminate();
            Http2Frame first = http2.await(Http2Frame.GOAWAY, 0);
            assertThat(http2.response(post(http2)).status()).isEqualTo(200);
            try (Http1RawClient late = Http1RawClient.connect(child.port())) {
                late.send(POST);
                Http1Response response = late.response();
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.header("connection")).hasValue("close");
            }
            Http2Frame second = http2.await("the second GOAWAY", frame -> frame.is(Http2Frame.GOAWAY, 0) && frame != first);
            assertThat(second.lastStream()).isEqualTo(1);
            http2.awaitClosed();
            assertThat(child.exitCode()).isZero();
            assertThatThrownBy(() -> Http1RawClient.connect(child.port())).hasMessageContaining("no connection");
        }
    }

    /** DRN-04: a client that ignores GOAWAY and gives no window must not hold the process. */
    @Test
    void theDrainTimeoutResetsWhatIsLeftAndCountsIt() throws Exception {
        backend.answer(Script.json(200, "x".repeat(100_000)));
        try (ChildProcess child = serve("--drain-timeout", "700ms");
                Http2RawClient stubborn = Http2RawClient.to(child.port()).initialWindow(0).open();
                Http2RawClient patient = Http2RawClient.connect(child.port())) {
            int blocked = post(stubborn);
            stubborn.responseHeaders(blocked);
            backend.answer(Script.json(200, "{}")).hold();
            int running = post(patient);
            post(patient);
            backend.awaitRunning(2);
            int waiting = post(patient);
            awaitWaiting(child, 1);

            child.terminate();

            Http2Response refused = patient.response(waiting);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.complete()).isTrue();
            assertThat(refused.header("x-llm-d-request-dropped-reason")).hasValue("rejected-shutting-down");
            Http2Response stopped = patient.response(running);
            assertThat(stopped.status()).as("it ran, and had no answer yet").isEqualTo(503);
            assertThat(stopped.complete()).isTrue();
            assertThat(stopped.header("x-llm-d-request-dropped-reason")).isEmpty();
            assertThat(stopped.header("x-llm-d-flow-queue-duration-ms")).isPresent();
            assertThat(stubborn.await(Http2Frame.RST_STREAM, blocked).errorCode()).isEqualTo(Http2Frame.CANCEL);
            assertThat(child.exitCode()).isZero();
            assertThat(child.err().all()).anyMatch(line -> line.contains("Drained: 1 requests were reset"));
            backend.awaitDisconnects(2);
        }
    }

    /** One runs, one waits and has not sent all of its body: both are answered, and no RST overtakes the answer. */
    @Test
    void theDrainTimeoutAnswersWhatHttp1ClientsHaveNoAnswerTo() throws Exception {
        backend.hold();
        try (ChildProcess child = serve("--drain-timeout", "300ms"); Http1RawClient first = Http1RawClient.connect(child.port());
                Http1RawClient second = Http1RawClient.connect(child.port()); Http1RawClient third = Http1RawClient.connect(child.port())) {
            first.send(POST);
            second.send(POST);
            backend.awaitRunning(2);
            third.send("POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 300000\r\n\r\n" + "x".repeat(200_000));
            awaitWaiting(child, 1);

            child.terminate();

            Http1Response waited = third.response();
            assertThat(waited.status()).isEqualTo(503);
            assertThat(waited.header("x-llm-d-request-dropped-reason")).hasValue("rejected-shutting-down");
            for (Http1Response ran : List.of(first.response(), second.response())) {
                assertThat(ran.status()).isEqualTo(503);
                assertThat(ran.header("connection")).hasValue("close");
                assertThat(ran.header("x-llm-d-request-dropped-reason")).isEmpty();
                assertThat(ran.complete()).isTrue();
            }
            assertThat(third.untilEof()).isEmpty();
            assertThat(first.untilEof()).isEmpty();
            assertThat(child.exitCode()).isZero();
            assertThat(child.err().all()).anyMatch(line -> line.contains("Drained: 0 requests were reset"));
        }
    }

    /** There is no GOAWAY in HTTP/1.1: a client that was promised its connection learns of the drain by its next answer. */
    @Test
    void anIdleConnectionThatIsUsedDuringTheDrainIsAnsweredAndThenClosed() throws Exception {
        try (ChildProcess child = serve(); Http1RawClient streamed = Http1RawClient.connect(child.port());
                Http1RawClient silent = Http1RawClient.connect(child.port())) {
            backend.answer(Script.empty().streamHead().chunk("a").hold("end").chunk("b").lastChunk());
            streamed.send(POST);
            assertThat(streamed.head().header("connection")).as("before the drain").isEmpty();
            // Each event loop accepts on its own: the second may still be in its queue.
            Awaitility.await().atMost(Duration.ofSeconds(20))
                    .until(() -> child.admin("GET", "/metrics").body().contains("penstock_downstream_connections_active 2"));
            backend.answer(Script.json(200, "{}"));

            child.terminate();
            child.err().await("Draining: 1 requests on 2 connections");
            backend.release("end");
            assertThat(streamed.chunk()).isNotEmpty();
            assertThat(streamed.chunk()).isNotEmpty();
            assertThat(streamed.chunk()).isEmpty();
            assertThat(streamed.fields()).isEmpty();
            for (Http1RawClient client : List.of(streamed, silent)) {
                client.send(POST);
                Http1Response next = client.response();
                assertThat(next.status()).isEqualTo(200);
                assertThat(next.header("connection")).hasValue("close");
                assertThat(client.untilEof()).isEmpty();
            }
            assertThat(child.exitCode()).isZero();
        }
    }

    @Test
    void aSignalThatComesBeforeTheStartIsOverDrainsToo() throws Exception {
        Path file = Files.writeString(directory.resolve("penstock.yaml"), RunningProxy.yaml(List.of(backend), "", ""));
        for (int i = 0; i < 3; i++) {
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            // The metrics port opens last, before the process says that it has started.
            try (ChildProcess child = ChildProcess.run("serve", "--config-file", file.toString(), "--metrics-port",
                    Integer.toString(port))) {
                Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(1)).until(() -> opens(port));
                child.terminate();
                assertThat(child.exitCode()).isZero();
            }
        }
    }

    private static boolean opens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    @Test
    void aSecondSignalEndsTheProcessAtOnce() throws Exception {
        backend.hold();
        try (ChildProcess child = serve(); Http2RawClient client = Http2RawClient.connect(child.port())) {
            post(client);
            backend.awaitRunning(1);
            child.terminate();
            child.err().await("Draining: 1 requests on 1 connections");
            child.terminate();
            assertThat(child.exitCode()).isEqualTo(1);
            assertThat(child.err().all()).anyMatch(line -> line.contains("Second signal"));
        }
    }

    @Test
    void theAdminPortStartsTheSameDrain() throws Exception {
        backend.hold();
        try (ChildProcess child = serve(); Http2RawClient client = Http2RawClient.connect(child.port())) {
            int stream = post(client);
            backend.awaitRunning(1);
            assertThat(child.admin("GET", "/drain").statusCode()).isEqualTo(405);
            assertThat(child.admin("GET", "/ready").statusCode()).isEqualTo(200);
            assertThat(child.admin("POST", "/drain").statusCode()).isEqualTo(200);
            assertThat(client.await(Http2Frame.GOAWAY, 0).lastStream()).isEqualTo(Integer.MAX_VALUE);
            assertThat(child.admin("GET", "/ready").statusCode()).isEqualTo(503);
            backend.release();
            assertThat(client.response(stream).status()).isEqualTo(200);
            assertThat(child.exitCode()).isZero();
        }
    }
}
