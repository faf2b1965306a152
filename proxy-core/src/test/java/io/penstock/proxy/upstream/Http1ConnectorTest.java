package io.penstock.proxy.upstream;

import static io.penstock.proxy.upstream.ClientLoop.config;
import static io.penstock.proxy.upstream.ClientLoop.get;
import static io.penstock.proxy.upstream.ClientLoop.head;
import static io.penstock.proxy.upstream.ClientLoop.request;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.upstream.RawBackend.Peer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
@ParameterizedClass
@MethodSource("io.penstock.proxy.upstream.Transports#all")
class Http1ConnectorTest {

    private static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    private static final UpstreamFault STALE = new UpstreamFault(Kind.CLOSED, true, false, true);

    @Parameter
    Transport transport;

    private final Endpoint nowhere = new Endpoint(new EndpointSpec("default", "x", "no-such-host.invalid", 80, Map.of()));
    private ClientLoop client;

    @BeforeEach
    void start() {
        client = new ClientLoop(transport);
    }

    private ClientLoop restart(Duration connectTimeout, Duration idleTimeout, int maxConnections) {
        client.close();
        client = new ClientLoop(transport, config(connectTimeout, idleTimeout, maxConnections));
        return client;
    }

    @AfterEach
    void noBufferLeaks() {
        client.close();
    }

    @Test
    void requestsInTurnShareAConnection() throws Exception {
        try (RawBackend backend = RawBackend.answering(OK)) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.run(backend.endpoint(), request(get("/" + i), "")).body()).isEqualTo("ok");
            }
            assertThat(backend.accepted()).isEqualTo(1);
            assertThat(client.limit.open(backend.endpoint())).isEqualTo(1);
        }
    }

    @Test
    void theConnectionUsedLastIsUsedNext() throws Exception {
        List<Integer> served = new CopyOnWriteArrayList<>();
        AtomicInteger numbers = new AtomicInteger();
        try (RawBackend backend = new RawBackend(peer -> {
            int number = numbers.getAndIncrement();
            while (peer.readHead() != null) {
                served.add(number);
                peer.send(OK);
            }
        })) {
            Recorder first = new Recorder(exchange -> { });
            client.open(backend.endpoint(), first);
            UpstreamExchange exchange = first.connected.get(10, SECONDS);
            client.get(backend.endpoint());
            client.onLoop(() -> request(get("/"), "").accept(exchange));
            first.over.get(10, SECONDS);
            int last = served.get(1);
            client.onLoop(() -> { });
            client.get(backend.endpoint());
            client.get(backend.endpoint());
            assertThat(served.subList(2, 4)).containsExactly(last, last);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 2\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok!",
            "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"})
    void aConnectionThatMayNotBeReusedIsClosed(String response) throws Exception {
        try (RawBackend backend = RawBackend.answering(response)) {
            for (int i = 1; i <= 2; i++) {
                Recorder recorder = client.get(backend.endpoint());
                assertThat(recorder.over.get()).isTrue();
                assertThat(recorder.body()).isEqualTo(response.contains(" 204 ") ? "" : "ok");
                await().until(() -> client.limit.open(backend.endpoint()) == 0);
                assertThat(backend.accepted()).isEqualTo(i);
            }
        }
    }

    @Test
    void aSecondResponseInTheSameReadIsNotTheNextRequestsAnswer() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        String evil = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil";
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send(connections.getAndIncrement() == 0 ? OK + evil : OK);
            peer.readAll();
        })) {
            Recorder second = new Recorder(request(get("/"), ""));
            client.open(backend.endpoint(), new Recorder(request(get("/"), "")) {
                @Override
                public void onData(RequestContext context, ByteBuf data, boolean last) {
                    super.onData(context, data, last);
                    if (last) {
                        client.connector.open(backend.endpoint(), context, second);
                    }
                }
            });
            assertThat(second.over.get(10, SECONDS)).isTrue();
            assertThat(second.body()).isEqualTo("ok");
        }
    }

    @Test
    void bytesThatNobodyAskedForCloseAnIdleConnection() throws Exception {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send(OK);
            idle.join();
            peer.send("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n");
            peer.readAll();
        })) {
            client.get(backend.endpoint());
            assertThat(client.limit.open(backend.endpoint())).isEqualTo(1);
            idle.complete(null);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void bytesBeforeTheRequestAreNotItsResponse() throws Exception {
        try (RawBackend backend = new RawBackend(peer -> {
            peer.send(OK);
            peer.readAll();
        })) {
            Recorder recorder = client.run(backend.endpoint(), exchange -> { });
            assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.CLOSED, false, false, false));
        }
    }

    @Test
    void anIdleConnectionGoesAtOnceWhenTheBackendClosesIt() throws Exception {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send(OK);
            idle.join();
        })) {
            client.get(backend.endpoint());
            idle.complete(null);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
            assertThat(client.get(backend.endpoint()).over.get()).isTrue();
            assertThat(backend.accepted()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReusedConnectionThatDiesUnansweredSaysSo(boolean reset) throws Exception {
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send(OK);
            peer.readHead();
            if (reset) {
                peer.reset();
            }
        })) {
            client.get(backend.endpoint());
            assertThat(client.get(backend.endpoint()).fault.get()).isEqualTo(STALE);
        }
    }

    @Test
    void aReplayFromInsideOnFailedGetsAnotherConnection() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (RawBackend backend = new RawBackend(peer -> {
            boolean first = connections.getAndIncrement() == 0;
            peer.readHead();
            peer.send(OK);
            while (peer.readHead() != null && !first) {
                peer.send(OK);
            }
        })) {
            client.get(backend.endpoint());
            Recorder second = new Recorder(request(get("/"), ""));
            client.open(backend.endpoint(), new Recorder(request(get("/"), "")) {
                @Override
                public void onFailed(RequestContext context, UpstreamFault fault) {
                    super.onFailed(context, fault);
                    client.connector.open(backend.endpoint(), context, second);
                }
            });
            assertThat(second.over.get(10, SECONDS)).isTrue();
        }
    }

    @Test
    void idleConnectionsCloseAfterTheTimeout() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofMillis(80), 10);
        try (RawBackend backend = RawBackend.answering(OK)) {
            client.get(backend.endpoint());
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void aConnectionPastTheIdleTimeoutIsNeverHandedOut() throws Exception {
        try (RawBackend backend = RawBackend.answering(OK)) {
            client.get(backend.endpoint());
            client.clockOffset.addAndGet(Duration.ofSeconds(4).toNanos());
            assertThat(client.get(backend.endpoint()).over.get()).isTrue();
            assertThat(backend.accepted()).isEqualTo(2);
        }
    }

    @Test
    void theConnectionLimitRefusesOneMoreAndFreesItsPlaceOnClose() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofSeconds(4), 2);
        try (RawBackend backend = RawBackend.answering(OK)) {
            Recorder first = new Recorder(exchange -> { });
            Recorder second = new Recorder(exchange -> { });
            UpstreamExchange held = client.open(backend.endpoint(), first);
            client.open(backend.endpoint(), second);
            Recorder third = client.get(backend.endpoint());
            assertThat(third.calls).containsExactly("failed");
            assertThat(third.fault.get()).isEqualTo(new UpstreamFault(Kind.OVERFLOW, false, false, false));

            client.onLoop(held::abort);
            assertThat(client.get(backend.endpoint()).over.get()).isTrue();
            assertThat(first.calls).doesNotContain("failed");
        }
    }

    @Test
    void anOverflowThatIsAbortedAtOnceStaysSilent() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofSeconds(4), 1);
        try (RawBackend backend = RawBackend.answering(OK)) {
            client.open(backend.endpoint(), new Recorder(exchange -> { }));
            Recorder second = new Recorder(exchange -> { });
            client.onLoop(() -> client.connector.open(backend.endpoint(), ClientLoop.context(), second).abort());
            client.onLoop(() -> { });
            assertThat(second.calls).isEmpty();
        }
    }

    @Test
    void aConnectThatGetsNoAnswerTimesOut() throws Exception {
        restart(Duration.ofMillis(100), Duration.ofSeconds(4), 10);
        try (FullBacklog hole = new FullBacklog()) {
            Recorder recorder = client.get(hole.endpoint);
            assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.CONNECT, false, false, false));
            assertThat(client.limit.open(hole.endpoint)).isZero();
        }
    }

    @Test
    void anAbortDuringTheConnectCancelsIt() throws Exception {
        try (FullBacklog hole = new FullBacklog()) {
            Recorder recorder = new Recorder(exchange -> { });
            UpstreamExchange exchange = client.open(hole.endpoint, recorder);
            client.onLoop(exchange::abort);
            await().until(() -> client.limit.open(hole.endpoint) == 0);
            assertThat(recorder.calls).isEmpty();
        }
    }

    @Test
    void anOpenDoesNotFailBeforeItReturns() throws Exception {
        Recorder recorder = new Recorder(exchange -> { });
        List<String> callsInside = client.on(() -> {
            client.connector.open(nowhere, ClientLoop.context(), recorder);
            return List.copyOf(recorder.calls);
        });
        assertThat(callsInside).isEmpty();
        assertThat(recorder.fault.get(10, SECONDS).kind()).isEqualTo(Kind.CONNECT);
    }

    @Test
    void aHostThatDidNotResolveIsAConnectFaultAndAsksNoResolver() throws Exception {
        assertThat(client.get(nowhere).fault.get().kind()).isEqualTo(Kind.CONNECT);
        assertThat(client.limit.open(nowhere)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEndpointThatHasGoneLosesItsIdleConnectionsAndKeepsItsBusyOne(boolean retain) throws Exception {
        CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            for (String head = peer.readHead(); head != null; head = peer.readHead()) {
                if (head.contains("slow")) {
                    mayAnswer.join();
                }
                peer.send(OK);
            }
        })) {
            Recorder slow = new Recorder(request(get("/slow"), ""));
            client.open(backend.endpoint(), slow);
            client.get(backend.endpoint());
            assertThat(client.limit.open(backend.endpoint())).isEqualTo(2);
            if (retain) {
                client.connector.retain(Set.of());
            } else {
                client.connector.remove(backend.endpoint());
            }
            await().until(() -> client.limit.open(backend.endpoint()) == 1);
            mayAnswer.complete(null);
            assertThat(slow.over.get(10, SECONDS)).isTrue();
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void closeFailsWhatRunsAndWhatComes() throws Exception {
        try (RawBackend backend = new RawBackend(RawBackend.Peer::readAll)) {
            Recorder running = new Recorder(request(get("/"), ""));
            client.open(backend.endpoint(), running);
            running.connected.get(10, SECONDS);
            Recorder retired = new Recorder(request(get("/"), ""));
            client.open(backend.endpoint(), retired);
            retired.connected.get(10, SECONDS);
            client.connector.remove(backend.endpoint());
            client.connector.close();
            assertThat(running.fault.get(10, SECONDS).kind()).isEqualTo(Kind.CLOSED);
            assertThat(retired.fault.get(10, SECONDS).kind()).isEqualTo(Kind.CLOSED);
            assertThat(client.get(backend.endpoint()).fault.get().kind()).isEqualTo(Kind.CONNECT);
            assertThat(client.limit.open(backend.endpoint())).isZero();
        }
    }

    @Test
    void anAnswerBeforeTheWholeRequestPassesAndEndsTheConnection() throws Exception {
        try (RawBackend backend = new RawBackend(peer -> {
            for (String head = peer.readHead(); head != null; head = peer.readHead()) {
                peer.send(head.contains("POST") ? "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno" : OK);
            }
        })) {
            Recorder early = client.run(backend.endpoint(), exchange -> exchange.headers(head("POST", "/"), false));
            assertThat(early.head.get().status()).hasToString("401");
            assertThat(early.body()).isEqualTo("no");
            client.onLoop(() -> early.connected.join().data(Unpooled.directBuffer().writeZero(100), true));
            for (int i = 0; i < 10; i++) {
                assertThat(client.get(backend.endpoint()).body()).isEqualTo("ok");
            }
            assertThat(backend.accepted()).isEqualTo(2);
        }
    }

    @Test
    void informationalHeadsDoNotFreeTheConnection() throws Exception {
        try (RawBackend backend = new RawBackend(peer -> {
            for (String head = peer.readHead(); head != null; head = peer.readHead()) {
                String path = head.substring(4, 6);
                peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n");
                peer.trickle("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n" + path);
            }
        })) {
            for (int i = 0; i < 5; i++) {
                Recorder a = new Recorder(request(get("/a"), ""));
                Recorder b = new Recorder(request(get("/b"), ""));
                client.open(backend.endpoint(), a);
                client.open(backend.endpoint(), b);
                assertThat(a.over.get(10, SECONDS)).isTrue();
                assertThat(b.over.get(10, SECONDS)).isTrue();
                assertThat(a.body()).isEqualTo("/a");
                assertThat(b.body()).isEqualTo("/b");
            }
        }
    }

    /** A listening socket whose backlog is full: the kernel leaves further connects unanswered. */
    private static final class FullBacklog implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<Socket> fill = new CopyOnWriteArrayList<>();
        private final Endpoint endpoint = new Endpoint(new EndpointSpec("default", "hole", "127.0.0.1", server.getLocalPort(), Map.of()));

        FullBacklog() throws Exception {
            for (int i = 0; i < 2; i++) {
                fill.add(new Socket(server.getInetAddress(), server.getLocalPort()));
            }
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : fill) {
                socket.close();
            }
            server.close();
        }
    }

    /** The loop has both events before it handles the first, which closes the second one's socket and makes one with its descriptor. */
    @Test
    void anEventOfAClosedSocketIsNoneOfTheNextOne() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        CompletableFuture<Peer> ends = new CompletableFuture<>();
        CompletableFuture<Peer> closed = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            String head = peer.readHead();
            if (head == null || head.startsWith("GET /next")) {
                peer.send(OK);
                return;
            }
            (head.startsWith("GET /ends") ? ends : closed).complete(peer);
            asked.countDown();
            peer.awaitTestEnd();
        })) {
            Recorder second = new Recorder(request(get("/closed"), ""));
            UpstreamExchange given = client.open(backend.endpoint(), second);
            Recorder next = new Recorder(request(get("/next"), ""));
            client.open(backend.endpoint(), new Recorder(request(get("/ends"), "")) {
                @Override
                public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
                    given.abort();
                    client.connector.open(backend.endpoint(), ClientLoop.context(), next);
                }
            });
            assertThat(asked.await(10, SECONDS)).isTrue();
            client.onLoop(() -> {
                sendTo(ends.join());
                sendTo(closed.join());
            });
            assertThat(next.over.get(10, SECONDS)).isTrue();
            assertThat(next.body()).isEqualTo("ok");
        }
    }

    private static void sendTo(Peer peer) {
        try {
            // Whichever is told of first, no connection is there for another request.
            peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
