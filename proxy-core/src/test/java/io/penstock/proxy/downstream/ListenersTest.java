package io.penstock.proxy.downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoopGroup;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.config.ProxyConfig.HostPort;
import io.penstock.proxy.config.ProxyConfig.Limits;
import io.penstock.proxy.config.ProxyConfig.Listener;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.DownstreamExchange;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Binding, limits on connections and time, drain and close. */
class ListenersTest {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String HELLO = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

    private static TestProxy proxy(EdgeTimings timings) {
        return new TestProxy(Transport.detect(false), Limits.defaults(), timings, null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTakenPortIsNamedAndNothingStaysBound(boolean nativeTransport) throws IOException {
        Transport transport = nativeTransport ? Transport.detect(false) : Transport.nio();
        EventLoopGroup group = transport.newGroup(2, "test");
        int free = freePort();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            ProxyConfig config = config(new Listener("first", new HostPort("127.0.0.1", free), null),
                    new Listener("plain", new HostPort("127.0.0.1", taken.getLocalPort()), null));
            assertThatThrownBy(() -> Listeners.bind(config, transport, group, loop -> new RecordingRequests(), ConnectionEvents.NONE,
                    System::nanoTime)).isInstanceOf(ListenException.class)
                    .hasMessage("listener plain: 127.0.0.1:" + taken.getLocalPort() + ": address already in use");
            try (ServerSocket again = new ServerSocket(free, 1, InetAddress.getByName("127.0.0.1"))) {
                assertThat(again.isBound()).isTrue();
            }
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** As a privileged port is: the system says no, and says why. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAddressThatTheSystemRefusesIsNamedWithItsReason(boolean nativeTransport) {
        Transport transport = nativeTransport ? Transport.detect(false) : Transport.nio();
        EventLoopGroup group = transport.newGroup(1, "test");
        try {
            ProxyConfig config = config(new Listener("plain", new HostPort("192.0.2.1", 80), null));
            assertThatThrownBy(() -> Listeners.bind(config, transport, group, loop -> new RecordingRequests(), ConnectionEvents.NONE,
                    System::nanoTime)).isInstanceOf(ListenException.class).hasMessageStartingWith("listener plain: 192.0.2.1:80: ")
                    .hasMessageContaining("assign requested address");
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @Test
    void aPortOfAnotherProxyIsTakenThoughBothCouldShareIt() {
        Transport transport = Transport.detect(false);
        EventLoopGroup group = transport.newGroup(1, "test");
        try (TestProxy first = new TestProxy()) {
            ProxyConfig config = config(new Listener("plain", new HostPort("127.0.0.1", first.address().getPort()), null));
            assertThatThrownBy(() -> Listeners.bind(config, transport, group, loop -> new RecordingRequests(), ConnectionEvents.NONE,
                    System::nanoTime)).hasMessageEndingWith("address already in use");
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private static ProxyConfig config(Listener... listeners) {
        ProxyConfig usual = ProxyConfig.defaults();
        return new ProxyConfig(List.of(listeners), usual.admin(), usual.metrics(), List.of(), usual.upstream(), usual.timeouts(),
                usual.limits(), usual.drain(), usual.accessLog(), usual.compat());
    }

    @Test
    void aConnectionAboveTheLimitIsResetAndOneThatEndsMakesRoom() {
        try (TestProxy proxy = new TestProxy(TestProxy.limits(8 << 10, 100, 100, 2))) {
            Http1Probe first = new Http1Probe(proxy.address());
            first.send(HELLO).head();
            try (Http1Probe second = new Http1Probe(proxy.address())) {
                second.send(HELLO).head();
                // Each event loop accepts on its own: only now is it sure who is the third.
                try (Http1Probe third = new Http1Probe(proxy.address())) {
                    assertThat(third.rest()).isEqualTo("<reset>");
                }
                assertThat(proxy.faults).containsExactly(ConnectionFault.CONNECTION_LIMIT);
                first.close();
                await().until(() -> proxy.listeners.openConnections() == 1);
            }
            try (Http1Probe fourth = new Http1Probe(proxy.address())) {
                assertThat(fourth.send(HELLO).head()).startsWith("HTTP/1.1 200");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "PRI * HTTP/2.0\r\n\r\nSM"})
    void aClientThatDoesNotSayItsProtocolIsClosed(String start) {
        try (TestProxy proxy = proxy(EdgeTimings.of(SHORT, LONG, LONG, LONG)); Http1Probe client = new Http1Probe(proxy.address())) {
            assertThat(client.send(start).rest()).isEmpty();
            assertThat(proxy.faults).containsExactly(ConnectionFault.PREFACE_TIMEOUT);
        }
    }

    @Test
    void aSlowHttp1HeadIsAnsweredAndClosed() {
        try (TestProxy proxy = proxy(EdgeTimings.of(LONG, SHORT, LONG, LONG)); Http1Probe client = new Http1Probe(proxy.address())) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n").rest()).startsWith("HTTP/1.1 408 ");
            assertThat(proxy.faults).containsExactly(ConnectionFault.HEADERS_TIMEOUT);
        }
    }

    @Test
    void anOpenHttp2HeaderBlockIsClosedAndALongRequestIsNot() {
        try (TestProxy proxy = proxy(EdgeTimings.of(LONG, SHORT, LONG, LONG)); Http2Probe client = new Http2Probe(proxy.address());
                Http2Probe other = new Http2Probe(proxy.address())) {
            other.get(1, "/hang").send();
            client.frame(Http2Probe.HEADERS, 1, 1, Http2Probe.request("GET", "/hello")).send();
            assertThat(client.await(Http2Probe.DATA, 1)).isEqualTo(Http2Probe.END);
            assertThat(proxy.faults).containsExactly(ConnectionFault.HEADERS_TIMEOUT);
            other.ping();
        }
    }

    @Test
    void aClientThatSaysHttp2AndNoMoreIsClosed() {
        try (TestProxy proxy = proxy(EdgeTimings.of(LONG, SHORT, LONG, LONG)); Http1Probe client = new Http1Probe(proxy.address())) {
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").rest();
            assertThat(proxy.faults).containsExactly(ConnectionFault.HEADERS_TIMEOUT);
        }
    }

    @Test
    void aSlowUploadIsNoSlowHead() throws IOException {
        try (TestProxy proxy = proxy(EdgeTimings.of(LONG, SHORT, LONG, LONG)); Http2Probe client = new Http2Probe(proxy.address());
                Http2Probe slowHead = new Http2Probe(proxy.address())) {
            client.post(1, "/echo").send();
            client.socket.getOutputStream().write(new byte[] {0, 0, 5, 0, 1, 0, 0, 0, 1, 'h'});
            slowHead.socket.getOutputStream().write(new byte[] {0, 0, 5, 1, 5, 0, 0, 0, 1, 'h'});
            assertThat(slowHead.await(Http2Probe.DATA, 1)).isEqualTo(Http2Probe.END);
            client.socket.getOutputStream().write(new byte[] {'e', 'l', 'l', 'o'});
            assertThat(client.await(Http2Probe.DATA, 1).payload()).hasSize(5);
        }
    }

    @Test
    void idleConnectionsCloseAndBusyOnesDoNot() {
        Duration enough = Duration.ofSeconds(1);
        try (TestProxy proxy = proxy(EdgeTimings.of(LONG, LONG, enough, LONG)); Http2Probe idle = new Http2Probe(proxy.address());
                Http2Probe busy = new Http2Probe(proxy.address()); Http1Probe old = new Http1Probe(proxy.address())) {
            busy.get(1, "/hang").send();
            old.send(HELLO).head();
            assertThat(idle.await(Http2Probe.GOAWAY, 0).number(4)).isZero();
            assertThat(old.rest()).endsWith("0\r\n\r\n");
            busy.ping();
            assertThat(proxy.faults).containsOnly(ConnectionFault.IDLE_TIMEOUT);
        }
    }

    @Test
    void aDrainLetsRequestsEndAndClosesTheirConnections() {
        try (TestProxy proxy = new TestProxy(); Http2Probe client = new Http2Probe(proxy.address());
                Http1Probe old = new Http1Probe(proxy.address()); Http1Probe idle = new Http1Probe(proxy.address())) {
            idle.send(HELLO).until("0\r\n\r\n");
            client.get(1, "/hang").send();
            old.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n");
            await().until(() -> proxy.listeners.openRequests() == 2);
            proxy.listeners.startDrain(Duration.ofMillis(150));
            assertThat(client.await(Http2Probe.GOAWAY, 0).number(0)).isEqualTo(Integer.MAX_VALUE);
            client.get(3, "/hello").send();
            assertThat(client.await(Http2Probe.DATA, 3).last()).isTrue();
            assertThat(client.await(Http2Probe.GOAWAY, 0).number(0)).isEqualTo(3);
            assertThat(idle.rest()).isEmpty();
            client.get(5, "/hello").send();
            assertThat(client.await(Http2Probe.RST_STREAM, 5).number(0)).isEqualTo(7);

            proxy.requests.requests.forEach(request -> {
                if (request.head().path().toString().equals("/hang")) {
                    DownstreamExchange exchange = request.client();
                    exchange.executor().execute(() -> exchange.headers(RecordingRequests.head("200"), true));
                }
            });
            assertThat(client.awaitHeaders(1).status()).hasToString("200");
            assertThat(client.await(Http2Probe.GOAWAY, 0)).isEqualTo(Http2Probe.END);
            assertThat(old.rest()).isEqualTo("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            await().untilAsserted(() -> assertThat(proxy.listeners.openConnections()).isZero());
            assertThat(proxy.requests.closed).isEmpty();
        }
    }

    /** To the client its connection is open; the event loop has not looked yet when it is told to close the listening socket. */
    @Test
    void whoWaitsToBeAcceptedIsServedThoughTheListenerCloses() throws InterruptedException {
        Transport transport = Transport.detect(false);
        assumeThat(transport.label()).isEqualTo("epoll");
        EventLoopGroup group = transport.newGroup(1, "test");
        CountDownLatch busy = new CountDownLatch(1);
        ProxyConfig config = config(new Listener("plain", new HostPort("127.0.0.1", 0), null));
        try (Listeners listeners = Listeners.bind(config, transport, group, loop -> new RecordingRequests(), ConnectionEvents.NONE,
                System::nanoTime)) {
            InetSocketAddress address = listeners.address("plain");
            group.next().execute(() -> awaitUninterruptibly(busy));
            try (Http1Probe client = new Http1Probe(address)) {
                client.send(HELLO);
                Thread closing = new Thread(listeners::stopAccepting);
                closing.start();
                await().until(() -> closing.getState() == Thread.State.WAITING);
                busy.countDown();
                assertThat(client.head()).startsWith("HTTP/1.1 200");
                closing.join();
                assertThatThrownBy(() -> new Http1Probe(address)).hasRootCauseInstanceOf(ConnectException.class);
            }
        } finally {
            busy.countDown();
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatOutlivesTheDrainIsResetAndCounted() {
        try (TestProxy proxy = new TestProxy(); Http2Probe client = new Http2Probe(proxy.address());
                Http1Probe old = new Http1Probe(proxy.address())) {
            client.get(1, "/hang").get(3, "/hang").send();
            old.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n");
            await().until(() -> proxy.listeners.openRequests() == 3);
            proxy.listeners.stopAccepting();

            assertThat(proxy.listeners.closeNow()).isEqualTo(3);
            assertThat(client.await(Http2Probe.RST_STREAM, 1).number(0)).isEqualTo(8);
            assertThat(client.await(Http2Probe.GOAWAY, 0)).isNotEqualTo(Http2Probe.END);
            assertThat(old.rest()).isEmpty();
            assertThat(proxy.requests.closed).hasSize(3).containsOnly("/hang DISCONNECTED");
            assertThat(proxy.listeners.openRequests()).isZero();
        }
    }
}
