package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that leaves stops the work done for it, whatever its request was doing, and the next in the queue gets its place. */
class CancelEndToEndTest {

    private static final String ONE_AT_A_TIME = RunningProxy.PICKER.formatted(1) + "  priorityBands: [{priority: 0, maxRequests: 50}]\n";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(int loops, String proxyKeys) {
        return RunningProxy.start(loops, List.of(backend), proxyKeys, ONE_AT_A_TIME);
    }

    private static Script stream() {
        return Script.empty().streamHead().chunk("data: 1\n\n").silence();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void whoLeavesBeforeTheAnswerFreesTheBackendForTheNext(int loops) throws Exception {
        leavesWhileRunning(loops, Script.never(), false);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void whoLeavesAStreamFreesTheBackendForTheNext(int loops) throws Exception {
        leavesWhileRunning(loops, stream(), true);
    }

    private void leavesWhileRunning(int loops, Script script, boolean headFirst) throws Exception {
        try (RunningProxy proxy = proxy(loops, ""); Http2RawClient next = proxy.http2()) {
            for (Leaver way : Leaver.values()) {
                int disconnects = backend.disconnects();
                backend.answerNext(script);
                try (Leaver.Call call = way.call(proxy)) {
                    backend.awaitRunning(1);
                    if (headFirst) {
                        call.awaitHead();
                    }
                    int waiting = Calls.post(next);
                    proxy.awaitWaiting(0, 1);
                    call.leave();
                    assertThat(next.response(waiting).status()).as(way.name()).isEqualTo(200);
                    backend.awaitDisconnects(disconnects + 1);
                    proxy.awaitQuiet();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void whoLeavesTheQueueIsNeverSent(int loops) throws Exception {
        try (RunningProxy proxy = proxy(loops, ""); Http2RawClient other = proxy.http2()) {
            backend.hold();
            int running = Calls.post(other);
            backend.awaitRunning(1);
            int last = Calls.post(other);
            for (Leaver way : Leaver.values()) {
                try (Leaver.Call call = way.call(proxy)) {
                    proxy.awaitWaiting(0, 2);
                    call.leave();
                    proxy.awaitWaiting(0, 1);
                }
            }
            backend.release();
            assertThat(other.response(running).status()).isEqualTo(200);
            assertThat(other.response(last).all(Calls.HEADROOM)).containsExactly("50");
            assertThat(backend.requests()).hasSize(2);
            proxy.awaitQuiet();
        }
    }

    @Test
    void whoLeavesDuringTheConnectGivesItUp() throws Exception {
        try (ServerSocket hole = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> filling = fill(hole);
            String endpoints = "endpoints: [" + SocketBackend.endpoint("hole", hole.getLocalPort()) + "]\n"
                    + "upstream: {connectTimeout: 60s}\n";
            try (RunningProxy proxy = RunningProxy.start(1, List.of(), endpoints, ONE_AT_A_TIME); Http2RawClient next = proxy.http2()) {
                for (Leaver way : Leaver.values()) {
                    try (Leaver.Call call = way.call(proxy)) {
                        awaitInFlight(proxy, 1);
                        int waiting = Calls.post(next);
                        proxy.awaitWaiting(0, 1);
                        call.leave();
                        proxy.awaitWaiting(0, 0);
                        next.reset(waiting, Http2Frame.CANCEL);
                        proxy.awaitQuiet();
                    }
                }
            } finally {
                for (Socket socket : filling) {
                    socket.close();
                }
            }
        }
    }

    /** Fills the backlog of a server that accepts nothing: the next connection gets no answer at all. */
    static List<Socket> fill(ServerSocket server) throws Exception {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            Socket socket = new Socket();
            sockets.add(socket);
            try {
                socket.connect(server.getLocalSocketAddress(), 100);
            } catch (java.net.SocketTimeoutException full) {
                return sockets;
            }
        }
        throw new AssertionError("the backlog never fills");
    }

    private static void awaitInFlight(RunningProxy proxy, int requests) {
        Awaitility.await().pollInterval(java.time.Duration.ofMillis(2))
                .until(() -> proxy.proxy.endpoints().stream().allMatch(row -> row.inFlightRequests() == requests));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void noCounterLeaksWhereverTheClientLeaves(int loops) throws Exception {
        backend.answer(stream());
        String picker = RunningProxy.PICKER.formatted(8) + "  priorityBands: [{priority: 0, maxRequests: 2000}]\n";
        try (RunningProxy proxy = RunningProxy.start(loops, List.of(backend), "", picker)) {
            for (int point = 0; point < 3; point++) {
                for (int i = 0; i < 150; i++) {
                    leaveAt(proxy, point, i % 2 == 0);
                }
                proxy.awaitQuiet();
            }
            assertThat(backend.running()).isZero();
        }
    }

    /** Leaves right after the request, at the response's head, or after its first byte. */
    private static void leaveAt(RunningProxy proxy, int point, boolean http2) throws Exception {
        if (http2) {
            try (Http2RawClient client = proxy.http2()) {
                int stream = Calls.post(client);
                if (point == 1) {
                    client.responseHeaders(stream);
                } else if (point == 2) {
                    client.await(Http2Frame.DATA, stream);
                }
            }
            return;
        }
        try (Http1RawClient client = proxy.http1()) {
            Calls.post(client);
            if (point >= 1) {
                client.head();
            }
            if (point == 2) {
                client.exactly(1);
            }
        }
    }

    @Test
    void resettingUploadsThatTheBackendDoesNotReadReturnsAllCredit() throws Exception {
        AtomicBoolean reads = new AtomicBoolean();
        CountDownLatch over = new CountDownLatch(1);
        try (SocketBackend stuck = SocketBackend.start(connection -> {
            connection.head();
            if (reads.get()) {
                connection.in().skipNBytes(512 << 10);
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            }
            over.await();
        });
                RunningProxy proxy = RunningProxy.start(1, List.of(), stuck.endpoints(), RunningProxy.PICKER.formatted(64));
                Http2RawClient client = proxy.http2()) {
            for (int i = 0; i < 20; i++) {
                int stream = client.open(Calls.head("POST", "content-length", "1048576"));
                client.body(stream, new byte[60 << 10], false);
                client.reset(stream, Http2Frame.CANCEL);
            }
            proxy.awaitQuiet();
            reads.set(true);
            int stream = client.open(Calls.head("POST", "content-length", Integer.toString(512 << 10)));
            client.body(stream, new byte[512 << 10], true);
            assertThat(client.response(stream).text()).isEqualTo("ok");
        } finally {
            over.countDown();
        }
    }

    @Test
    void streamsThatTheirClientForgetsAreResetAndTheirBackendsFreed() throws Exception {
        Script endless = Script.empty().head(200, "Content-Length: 8000000").send(new byte[8_000_000]);
        backend.answerWhen(seen -> "forgotten".equals(seen.header("x-kind")), endless);
        String picker = RunningProxy.PICKER.formatted(64);
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), "timeouts: {writeStall: 1s}\n", picker);
                Http2RawClient client = Http2RawClient.to(proxy.port()).initialWindow(0).open()) {
            List<Integer> forgotten = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                forgotten.add(Calls.post(client, "x-kind", "forgotten"));
            }
            forgotten.forEach(client::responseHeaders);
            for (int stream : forgotten) {
                assertThat(client.await(Http2Frame.RST_STREAM, stream).errorCode()).isEqualTo(Http2Frame.CANCEL);
            }
            int normal = Calls.post(client);
            client.windowUpdate(normal, 1 << 20);
            assertThat(client.response(normal).status()).isEqualTo(200);
            proxy.awaitQuiet();
            backend.awaitOpenConnections(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP2_RESET", "HTTP2_ABORT", "HTTP1_CLOSE"})
    void leavingABusyStreamLeavesNothingBehind(Leaver way) throws Exception {
        backend.answer(Script.empty().head(200, "Content-Length: 8000000").send(new byte[8_000_000]));
        try (RunningProxy proxy = RunningProxy.start(4, List.of(backend), "", RunningProxy.PICKER.formatted(64))) {
            for (int i = 0; i < 100; i++) {
                try (Leaver.Call call = way.call(proxy)) {
                    call.awaitHead();
                    call.leave();
                }
            }
            proxy.awaitQuiet();
            backend.awaitOpenConnections(0);
        }
    }
}
