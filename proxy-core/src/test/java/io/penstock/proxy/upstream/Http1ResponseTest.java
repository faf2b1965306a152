package io.penstock.proxy.upstream;

import static io.penstock.proxy.upstream.ClientLoop.get;
import static io.penstock.proxy.upstream.ClientLoop.head;
import static io.penstock.proxy.upstream.ClientLoop.request;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamFault.Kind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
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
class Http1ResponseTest {

    private static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

    @Parameter
    Transport transport;

    private ClientLoop client;

    private ClientLoop client() {
        client = new ClientLoop(transport);
        return client;
    }

    @AfterEach
    void noBufferLeaks() throws Exception {
        if (client != null) {
            client.close();
        }
    }

    private Recorder answer(String response) throws Exception {
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send(response);
        })) {
            return client().get(backend.endpoint());
        }
    }

    @Test
    void aResponseWithALengthIsPassedOn() throws Exception {
        Recorder response = answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Foo: a\r\nX-FOO: b\r\n\r\nhello");

        assertThat(response.over.get()).isTrue();
        assertThat(response.body()).isEqualTo("hello");
        assertThat(response.head.get().iterator().next().getKey()).hasToString(":status");
        assertThat(response.head.get().status()).hasToString("200");
        assertThat(response.head.get().getAll("x-foo")).map(CharSequence::toString).containsExactly("a", "b");
        assertThat(response.head.get().get("content-length")).hasToString("5");
    }

    @Test
    void hopByHopHeadersStayBehind() throws Exception {
        Recorder response = answer("HTTP/1.1 200 OK\r\nConnection: close, X-Foo\r\nX-Foo: 1\r\nKeep-Alive: timeout=5\r\n"
                + "Proxy-Connection: x\r\nUpgrade: h2c\r\nTrailer: x\r\nTE: x\r\nTransfer-Encoding: chunked\r\n"
                + "Cache-Control: no-cache\r\n\r\n2\r\nok\r\n0\r\n\r\n");

        assertThat(response.over.get()).isTrue();
        assertThat(response.head.get().names()).map(CharSequence::toString).containsExactlyInAnyOrder(":status", "cache-control");
    }

    @Test
    void aResponseMayArriveByteByByte() throws Exception {
        String emoji = "data: \u00f0\u009f\u0098\u0080\n\ndata: [DONE]";
        String response = "HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
                + Integer.toHexString(emoji.length()) + "\r\n" + emoji + "\r\n0\r\nserver-timing: t\r\n\r\n";
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.trickle(response);
            peer.readHead();
            peer.trickle(OK);
        })) {
            ClientLoop loop = client();
            Recorder first = loop.get(backend.endpoint());
            assertThat(first.body()).isEqualTo(emoji);
            assertThat(first.informational).hasSize(1);
            assertThat(first.trailers.get().get("server-timing")).hasToString("t");
        }
    }

    @Test
    void informationalHeadsPrecedeTheFinalOne() throws Exception {
        Recorder response = answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nconnection: x\r\n\r\n" + OK);

        assertThat(response.calls).containsExactly("connected", "informational", "informational", "headers", "data last");
        assertThat(response.informational.get(0).status()).hasToString("100");
        assertThat(response.informational.get(1).names()).map(CharSequence::toString).containsExactly(":status", "link");
    }

    @Test
    void tenInformationalHeadsAreTheMost() throws Exception {
        String hint = "HTTP/1.1 103 Early Hints\r\n\r\n";
        assertThat(answer(hint.repeat(10) + OK).over.get()).isTrue();
        client.close();
        assertThat(answer(hint.repeat(11) + OK).fault.get().kind()).isEqualTo(Kind.MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\ncontent-length: 628\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n"})
    void aResponseWithoutABodyIsOneCall(String response) throws Exception {
        Recorder recorder = answer(response);

        assertThat(recorder.calls).containsExactly("connected", "headers last");
        assertThat(recorder.head.get().contains("transfer-encoding")).isFalse();
        assertThat(recorder.head.get().contains("content-length")).isEqualTo(!response.contains(" 204 "));
    }

    @Test
    void aHeadResponseHasALengthButNoBody() throws Exception {
        try (RawBackend backend = RawBackend.answering("HTTP/1.1 200 OK\r\ncontent-length: 628\r\n\r\n")) {
            ClientLoop loop = client();
            for (int i = 0; i < 2; i++) {
                Recorder response = loop.run(backend.endpoint(), request(head("HEAD", "/"), ""));
                assertThat(response.calls).containsExactly("connected", "headers last");
                assertThat(response.head.get().get("content-length")).hasToString("628");
            }
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    @Test
    void anEmptyChunkedBodyEndsAtOnce() throws Exception {
        CompletableFuture<Void> mayEnd = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
            mayEnd.join();
            peer.send("0\r\n\r\n");
            peer.readAll();
        })) {
            Recorder recorder = new Recorder(request(get("/"), ""));
            client().open(backend.endpoint(), recorder);
            recorder.head.get(10, SECONDS);
            mayEnd.complete(null);
            assertThat(recorder.over.get(10, SECONDS)).isTrue();
            assertThat(recorder.calls).containsExactly("connected", "headers", "data last");
        }
    }

    @Test
    void aBodyWithoutFramingRunsUntilTheConnectionCloses() throws Exception {
        Recorder response = answer("HTTP/1.0 200 OK\r\n\r\nhello");

        assertThat(response.over.get()).isTrue();
        assertThat(response.body()).isEqualTo("hello");
    }

    @Test
    void aResetInABodyWithoutFramingIsNotItsEnd() throws Exception {
        CompletableFuture<Void> seen = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\n\r\nhello");
            seen.join();
            peer.reset();
        })) {
            Recorder recorder = new Recorder(request(get("/"), ""));
            client().open(backend.endpoint(), recorder);
            recorder.head.get(10, SECONDS);
            seen.complete(null);
            assertThat(recorder.fault.get(10, SECONDS)).isEqualTo(new UpstreamFault(Kind.CLOSED, false, true, true));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", "HTTP/1.1 200 OK\r\ncontent-le", "HTTP/1.1 2", "H"})
    void aCutResponseIsAClosedConnectionAndNeverAnEnd(String response) throws Exception {
        Recorder recorder = answer(response);

        assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.CLOSED, false, true, true));
        assertThat(recorder.calls).doesNotContain("data last");
    }

    /** Every byte at which a connection can break: no prefix of a framed response is an end. */
    @Test
    void noPrefixOfAFramedResponseIsAnEnd() throws Exception {
        String chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\r\n\r\n";
        String sized = "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc";
        AtomicReference<String> next = new AtomicReference<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send(next.get());
        })) {
            ClientLoop loop = client();
            for (String response : List.of(chunked, sized)) {
                for (int length = 0; length <= response.length(); length++) {
                    next.set(response.substring(0, length));
                    Recorder recorder = loop.get(backend.endpoint());
                    assertThat(recorder.over.get()).as("%d bytes", length).isEqualTo(length == response.length());
                    assertThat(recorder.calls).filteredOn(call -> call.equals("failed") || call.endsWith("last")).hasSizeLessThan(2);
                }
            }
        }
    }

    @Test
    void silenceAndACloseLeaveNothingStarted() throws Exception {
        assertThat(answer("").fault.get()).isEqualTo(new UpstreamFault(Kind.CLOSED, false, false, true));
    }

    static Stream<String> garbage() {
        String head = "HTTP/1.1 200 OK\r\n";
        return Stream.of("\0\0\0\0\r\n\r\n", "hello\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 600 X\r\n\r\n", "HTTP/1.1 +20 X\r\n\r\n",
                "HTTP/1.1 99 X\r\n\r\n", "HTTP/1.1 2000 X\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/1.1 200 OK\nx: y\n\n",
                head + "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                head + "content-length: 2\r\ncontent-length: 3\r\n\r\nok", head + "content-length: 2, 3\r\n\r\nok",
                head + "content-length: +2\r\n\r\nok", head + "content-length: -2\r\n\r\nok", head + "content-length: 2x\r\n\r\nok",
                head + "transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", head + "transfer-encoding: gzip\r\n\r\n",
                head + "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
                head + "transfer-encoding : chunked\r\n\r\n0\r\n\r\n", head + "transfer-encoding x: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
                head + "transfer-encoding: chunked\r\n\r\nxyz\r\n", head + "transfer-encoding: chunked\r\n\r\n-1\r\n",
                head + "transfer-encoding: chunked\r\n\r\n0x2\r\nok\r\n", head + "transfer-encoding: chunked\r\n\r\n2\r\nokxx\r\n",
                head + "transfer-encoding: chunked\r\n\r\nfffffffff\r\n", head + "transfer-encoding: chunked\r\n\r\n2;a\nb\r\nok\r\n",
                head + "no colon\r\n\r\n", head + ": empty\r\n\r\n", head + "na me: x\r\n\r\n", head + " folded: x\r\n\r\n",
                head + "x: a\0b\r\n\r\n", head + "x: a\rb\r\n\r\n", head + "x: " + "y".repeat(61 << 10) + "\r\n\r\n",
                head + "x: y\r\n".repeat(101) + "\r\n", head + "transfer-encoding: chunked\r\n\r\n0\r\n" + "x: y\r\n".repeat(101) + "\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource("garbage")
    void aResponseThatBreaksTheProtocolIsMalformed(String response) throws Exception {
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send(response);
            peer.readAll();
        })) {
            ClientLoop loop = client();
            Recorder recorder = loop.get(backend.endpoint());
            assertThat(recorder.fault.get(10, SECONDS)).isEqualTo(new UpstreamFault(Kind.MALFORMED, false, true, true));
            assertThat(loop.limit.open(backend.endpoint())).isZero();
        }
    }

    @Test
    void equalLengthsGivenTwiceAreOne() throws Exception {
        Recorder response = answer("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok");

        assertThat(response.over.get()).isTrue();
        assertThat(response.head.get().getAll("content-length")).hasSize(1);
    }

    @Test
    void trailersAreCleanedAndNeverMerged() throws Exception {
        Recorder response = answer("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
                + "0\r\nGrpc-Status: 0\r\nconnection: x\r\nte: y\r\n\r\n");

        assertThat(response.trailers.get().names()).map(CharSequence::toString).containsExactly("grpc-status");
        assertThat(response.head.get().names()).map(CharSequence::toString).containsExactly(":status");
    }

    @Test
    void aRefusedConnectionIsAConnectFault() throws Exception {
        RawBackend backend = RawBackend.answering(OK);
        backend.close();
        Recorder recorder = client().get(backend.endpoint());

        assertThat(recorder.calls).containsExactly("failed");
        assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.CONNECT, false, false, false));
    }

    @Test
    void anExchangeThatIsOverIgnoresCalls() throws Exception {
        Recorder response = answer(OK);
        UpstreamExchange exchange = response.connected.get();
        client.onLoop(() -> {
            exchange.headers(get("/"), true);
            request(get("/"), "body").accept(exchange);
            exchange.readable(false);
            exchange.abort();
        });
        assertThat(response.calls).containsExactly("connected", "headers", "data last");
        assertThat(client.on(exchange::writable)).isFalse();
    }
}
