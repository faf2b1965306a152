package io.penstock.proxy.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The other side is a bare socket that writes what the test gives it. */
class Http1RawClientTest {

    private ServerSocket listener;
    private Socket server;
    private Http1RawClient client;

    @BeforeEach
    void connect() throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = Http1RawClient.connect(listener.getLocalPort(), Duration.ofSeconds(10), 0, null);
        server = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        listener.close();
    }

    @Test
    void bytesGoOutAsTheyAre() throws IOException {
        client.send("GET / HTTP/1.1\r\nHost: \u00e9\r\n\r\n");
        client.halfClose();
        assertThat(new String(server.getInputStream().readAllBytes(), ISO_8859_1))
                .isEqualTo("GET / HTTP/1.1\r\nHost: \u00e9\r\n\r\n");
    }

    @Test
    void aBodyWithALengthIsReadAndTheNextResponseBegins() throws IOException {
        answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-Twice: a\r\nx-twice:b\r\nContent-Length: 5\r\n\r\nhello"
                + "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
        Http1Response response = client.response();
        assertThat(response.informational()).extracting(Http1Response.Head::status).containsExactly(100);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("hello");
        assertThat(response.all("X-TWICE")).containsExactly("a", "b");
        assertThat(response.head().headers()).first().isEqualTo(new Header("X-Twice", "a"));
        assertThat(client.response().status()).isEqualTo(204);
        assertThat(client.response().status()).isEqualTo(503);
    }

    @Test
    void aChunkedBodyIsReadWithItsTrailers() throws IOException {
        answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7;ext=1\r\n, world\r\n0\r\nx-trailer: end\r\n\r\n");
        Http1Response response = client.response();
        assertThat(response.text()).isEqualTo("hello, world");
        assertThat(response.trailers()).containsExactly(new Header("x-trailer", "end"));
        assertThat(response.complete()).isTrue();
    }

    @Test
    void chunksAreReadAsTheyCome() throws IOException {
        answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
        assertThat(client.head().status()).isEqualTo(200);
        assertThat(client.chunk()).asString(US_ASCII).isEqualTo("first");
        answer("6\r\nsecond\r\n0\r\n\r\n");
        assertThat(client.chunk()).asString(US_ASCII).isEqualTo("second");
        assertThat(client.chunk()).isEmpty();
        assertThat(client.fields()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5\r\nhel", "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\nx: y\r\n", "5"})
    void aBodyCutShortIsIncomplete(String body) throws IOException {
        answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body);
        server.close();
        assertThat(client.response().complete()).isFalse();
    }

    @Test
    void aLengthCutShortIsIncomplete() throws IOException {
        answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
        server.close();
        assertThat(client.response()).satisfies(r -> assertThat(r.complete()).isFalse()).extracting(Http1Response::text).isEqualTo("hel");
    }

    @Test
    void aBodyWithoutFramingEndsWithTheConnection() throws IOException {
        answer("HTTP/1.1 200 OK\r\n\r\n" + "x".repeat(20_000));
        server.close();
        assertThat(client.response().body()).hasSize(20_000);
    }

    @Test
    void aBareLineFeedFailsTheTest() throws IOException {
        answer("HTTP/1.1 200 OK\n\n");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> client.response()).withMessageContaining("expected: CR LF");
    }

    @Test
    void aClosedConnectionIsNoResponse() throws IOException {
        server.close();
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> client.response()).withMessageContaining("was closed");
    }

    @Test
    void abortIsSeenAsAReset() throws IOException {
        client.abort();
        assertThatExceptionOfType(SocketException.class).isThrownBy(() -> server.getInputStream().read()).withMessageContaining("reset");
    }

    @Test
    void aResetIsTheEndOfWhatIsRead() throws IOException {
        server.setSoLinger(true, 0);
        server.close();
        assertThat(client.untilEof()).isEmpty();
    }

    @Test
    void aSilentServerFailsTheTestInsteadOfHangingIt() {
        try (Http1RawClient hasty = Http1RawClient.connect(listener.getLocalPort(), Duration.ofMillis(50), 0, null)) {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(hasty::line).withMessage("nothing came in for 50 ms");
        }
    }

    @Test
    void aClosedPortIsAClearError() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> Http1RawClient.connect(port))
                .withMessage("no connection to port " + port);
    }

    @Test
    void aReceiveBufferCanBeMadeSmall() throws Exception {
        try (Http1RawClient slow = Http1RawClient.connect(listener.getLocalPort(), Duration.ofSeconds(10), 4_096, null);
                Socket peer = listener.accept()) {
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write(peer, new byte[8_000_000]));
            assertThat(slow.exactly(8_000_000)).hasSize(8_000_000);
            written.join();
        }
    }

    @Test
    void headersComeInPairs() {
        assertThat(Header.list("a", "b")).isEqualTo(List.of(new Header("a", "b")));
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> Header.list("a"));
    }

    private void answer(String text) {
        write(server, text.getBytes(UTF_8));
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
