package io.penstock.proxy.downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.config.ProxyConfig.Limits;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.ResetReason;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an HTTP/1.1 connection does on every transport. */
abstract class Http1Contract {

    private final Transport transport;
    private TestProxy proxy;
    private Http1Probe client;

    Http1Contract(Transport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void start() {
        proxy = new TestProxy(transport, Limits.defaults(), TestProxy.USUAL, null);
        client = new Http1Probe(proxy.address());
    }

    @AfterEach
    void stop() {
        client.close();
        proxy.close();
        assertThat(proxy.requests.wrongThread).hasValue(0);
        assertThat(proxy.listeners.openConnections()).isZero();
        assertThat(proxy.listeners.openRequests()).isZero();
    }

    @AfterAll
    static void noBufferIsLeft() {
        LeakPresenceDetector.check();
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n";
    }

    private void stillWorks() {
        client.send(get("/hello"));
        assertThat(client.head()).startsWith("HTTP/1.1 200 OK\r\n").doesNotContain("connection");
        assertThat(client.until("0\r\n\r\n")).isEqualTo("c\r\nhello, world\r\n0\r\n\r\n");
    }

    @Test
    void aRequestComesInHttp2FormWithoutWhatBelongsToTheConnection() {
        client.send("POST /echo?q=1 HTTP/1.1\r\nHOST: Test:80\r\nContent-Length: 5\r\nX-A: b\r\nX-Foo: 1\r\n"
                + "Connection: keep-alive, x-foo\r\n"
                + "Keep-Alive: 5\r\nProxy-Connection: x\r\nTE: gzip\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n"
                + "Cookie: a=1\r\ncookie: b=2\r\nExpect: 100-continue\r\n\r\nhello");

        assertThat(client.head()).isEqualTo("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
        assertThat(client.until("hello")).isEqualTo("hello");
        Http2Headers head = proxy.requests.only().head();
        assertThat(head).extracting(field -> field.getKey() + "=" + field.getValue()).containsExactlyInAnyOrder(":method=POST",
                ":scheme=http", ":authority=Test:80", ":path=/echo?q=1", "content-length=5", "x-a=b", "cookie=a=1; b=2",
                "expect=100-continue");
        assertThat(proxy.requests.only().client().protocol()).isEqualTo("HTTP/1.1");
    }

    @Test
    void aChunkedRequestAndItsTrailersGoThrough() {
        client.send("POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n0\r\nX-Sum: 7\r\nHost: x\r\n\r\n");

        assertThat(client.head()).startsWith("HTTP/1.1 200 OK");
        assertThat(client.until("hello")).isEqualTo("hello");
        assertThat(proxy.requests.trailers.element()).extracting(field -> field.getKey() + "=" + field.getValue())
                .containsExactly("x-sum=7");
        stillWorks();
    }

    @Test
    void aResponseWithoutLengthIsChunkedAndCarriesTrailers() {
        client.send(get("/trailers"));

        assertThat(client.head()).isEqualTo("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
        assertThat(client.head()).isEqualTo("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        assertThat(client.until("3\r\n\r\n")).isEqualTo("3\r\none\r\n0\r\nx-sum: 3\r\n\r\n");
        stillWorks();
    }

    @Test
    void responsesWithoutBodyAreFramedAsSuch() {
        client.send("HEAD /status/200 HTTP/1.1\r\nHost: test\r\n\r\n");
        assertThat(client.head()).isEqualTo("HTTP/1.1 200 OK\r\ncontent-length: 628\r\n\r\n");
        client.send(get("/status/204"));
        assertThat(client.head()).isEqualTo("HTTP/1.1 204 No Content\r\n\r\n");
        client.send(get("/status/304"));
        assertThat(client.head()).isEqualTo("HTTP/1.1 304 Not Modified\r\ncontent-length: 628\r\n\r\n");
        client.send(get("/echo"));
        assertThat(client.head()).isEqualTo("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        stillWorks();
    }

    @Test
    void requestsSentAheadWaitForTheOneBefore() {
        client.send(get("/hang") + get("/echo") + get("/hello"));
        await().until(() -> proxy.requests.requests.size() == 1);
        DownstreamExchange first = proxy.requests.only().client();

        first.executor().execute(() -> first.headers(RecordingRequests.head("202"), true));
        assertThat(client.head()).startsWith("HTTP/1.1 202");
        assertThat(client.head()).startsWith("HTTP/1.1 200");
        assertThat(client.head()).startsWith("HTTP/1.1 200");
        assertThat(proxy.requests.requests).hasSize(3);
    }

    @Test
    void closedByTheClientInTheMiddleIsACancel() throws IOException {
        client.send("POST /hang HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n" + "a".repeat(50));
        await().until(() -> proxy.requests.bodyBytes.get() == 50);
        client.socket.shutdownOutput();

        await().untilAsserted(() -> assertThat(proxy.requests.closed).containsExactly("/hang DISCONNECTED"));
    }

    @Test
    void aResetWhileTheBodyWaitsIsACancel() throws IOException {
        client.send("POST /hold HTTP/1.1\r\nHost: test\r\nContent-Length: 40000\r\n\r\n").send(new byte[40_000]);
        await().until(() -> proxy.requests.bodyBytes.get() == 40_000);
        client.socket.setSoLinger(true, 0);
        client.close();

        await().untilAsserted(() -> assertThat(proxy.requests.closed).containsExactly("/hold DISCONNECTED"));
    }

    @Test
    void aWaitingBodyIsReadOneWindowAheadAndGoesOnWithCredit() {
        client.send("POST /hold HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
        Thread sender = new Thread(() -> client.send(new byte[1_000_000]));
        sender.start();
        await().until(() -> proxy.requests.bodyBytes.get() >= 64 << 10);
        DownstreamExchange exchange = proxy.requests.only().client();
        exchange.executor().execute(() -> { });
        assertThat(proxy.requests.bodyBytes.get()).isLessThan(200 << 10);

        exchange.executor().execute(exchange::expandWindow);
        exchange.executor().execute(() -> exchange.consumed(1_000_000));
        await().until(() -> {
            exchange.executor().execute(() -> exchange.consumed(1_000_000));
            return proxy.requests.bodyBytes.get() == 1_000_000;
        });
        exchange.executor().execute(() -> exchange.headers(RecordingRequests.head("200"), true));
        assertThat(client.head()).isEqualTo("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    }

    @Test
    void anAnswerBeforeTheBodysEndIsCompleteAndCloses() {
        client.send("POST /early HTTP/1.1\r\nHost: test\r\nContent-Length: 10000000\r\n\r\n").send(new byte[5_000_000]);

        assertThat(client.rest()).isEqualTo("HTTP/1.1 413 Request Entity Too Large\r\ncontent-length: 5\r\nconnection: close\r\n\r\nlarge");
    }

    @Test
    void aResetBreaksTheConnectionOffInTheMiddle() {
        client.send(get("/hang"));
        await().until(() -> proxy.requests.requests.size() == 1);
        DownstreamExchange exchange = proxy.requests.only().client();
        exchange.executor().execute(() -> {
            exchange.headers(RecordingRequests.head("200"), false);
            exchange.data(RecordingRequests.bytes("half"), false);
        });
        assertThat(client.head()).contains("chunked");
        assertThat(client.until("half")).isEqualTo("4\r\nhalf");

        exchange.executor().execute(() -> exchange.reset(ResetReason.UPSTREAM_FAILED));
        assertThat(client.rest()).isEqualTo("\r\n");
        assertThat(proxy.requests.closed).isEmpty();
    }

    @Test
    void aBigResponseIsPausedWhileTheClientDoesNotRead() {
        client.send(get("/big/" + (64 << 20)));
        await().until(() -> proxy.requests.sentBytes.get() > 64 << 10);
        assertThat(proxy.requests.sentBytes.get()).isLessThan(32 << 20);
        assertThat(client.head()).contains("chunked");
        assertThat(client.rest(64 << 20)).isGreaterThan(64 << 20);
    }

    @Test
    void aClientThatAsksForCloseGetsIt() {
        client.send("GET /hello HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");

        assertThat(client.rest()).contains("connection: close").endsWith("0\r\n\r\n");
    }

    @Test
    void aHandlerThatThrowsLosesItsConnectionOnly() {
        client.send(get("/throw"));

        assertThat(client.rest()).isEmpty();
        assertThat(proxy.faults).containsExactly(ConnectionFault.INTERNAL_ERROR);
    }
}
