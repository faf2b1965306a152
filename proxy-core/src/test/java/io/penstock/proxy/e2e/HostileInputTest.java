package io.penstock.proxy.e2e;

import static io.penstock.proxy.testkit.Http2Frame.ENHANCE_YOUR_CALM;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.testkit.Header;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that cut requests short, send garbage or flood. */
class HostileInputTest extends HostileFixture {

    private static final String[] POST = {":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x"};
    private static final String CUT = "POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\n0123456789";

    private static int open(Http2RawClient client, String... more) {
        return client.open(Stream.concat(Stream.of(POST), Stream.of(more)).toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anHttp1BodyCutShortCancelsTheRequest(boolean byReset) throws Exception {
        try (Http1RawClient client = proxy.http1()) {
            client.send(CUT);
            awaitSeen(1);
            if (byReset) {
                client.abort();
            } else {
                client.halfClose();
                assertThat(client.untilEof()).isEmpty();
            }
            backend.awaitDisconnects(1);
            awaitOthersGone();
        }
    }

    @Test
    void anHttp2BodyShorterThanDeclaredIsAStreamError() throws Exception {
        try (Http2RawClient client = proxy.http2()) {
            int cut = open(client, "content-length", "100");
            client.data(cut, new byte[10], true);
            assertThat(client.response(cut).status()).isNotEqualTo(200);
            assertThat(client.await(Http2Frame.RST_STREAM, cut).errorCode()).isEqualTo(Http2Frame.PROTOCOL_ERROR);
            int longer = open(client, "content-length", "5");
            client.data(longer, new byte[10], false);
            assertThat(client.await(Http2Frame.RST_STREAM, longer).errorCode()).isEqualTo(Http2Frame.PROTOCOL_ERROR);
            assertThat(client.response(client.request("{}".getBytes(StandardCharsets.UTF_8), POST)).status()).isEqualTo(200);
        }
    }

    @Test
    void anHttp2ConnectionThatDiesInABodyCancelsItsRequests() throws Exception {
        try (Http2RawClient client = proxy.http2()) {
            for (int i = 0; i < 10; i++) {
                client.data(open(client), new byte[1_000], false);
            }
            awaitSeen(10);
            client.abort();
            backend.awaitDisconnects(10);
            awaitOthersGone();
        }
    }

    static Stream<String> garbage() {
        byte[] random = new byte[2_000];
        new Random(1).nextBytes(random);
        return Stream.of(new String(random, StandardCharsets.ISO_8859_1) + "\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n", "\26\3\1\0\5\1\0\0\1\3\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" + "x".repeat(40),
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "\r\n".repeat(10_000) + "x\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource("garbage")
    void garbageIsRefusedAndItsConnectionCloses(String bytes) throws Exception {
        try (Http1RawClient client = proxy.http1()) {
            client.send(bytes);
            String answer = new String(client.untilEof(), StandardCharsets.ISO_8859_1);
            boolean refused = answer.matches("(?s)HTTP/1\\.1 4\\d\\d .*") || answer.contains("\0\0\0\7");
            assertThat(answer.isEmpty() || refused).as(answer).isTrue();
            assertThat(answer).as("one answer at most").doesNotContain("\r\n\r\nHTTP/1.1 ");
        }
        assertNeighbourServed();
    }

    private record Flood(String abuse, int frames, Consumer<Http2RawClient> begin, Consumer<Http2RawClient> frame) {
        @Override
        public String toString() {
            return abuse;
        }
    }

    static Stream<Arguments> floods() {
        Consumer<Http2RawClient> nothing = client -> { };
        List<Header> get = Header.list(":method", "GET", ":scheme", "http", ":authority", "a.test", ":path", "/neighbour");
        return Stream.of(
                new Flood("ping_flood", 5_000, nothing, client -> client.ping(1)),
                new Flood("settings_flood", 5_000, nothing, client -> client.settings()),
                new Flood("priority_flood", 5_000, nothing, client -> client.frame(Http2Frame.PRIORITY, 0, 1, new byte[5])),
                new Flood("rapid_reset", 2_000, nothing, client -> {
                    int stream = client.newStream();
                    client.headers(stream, true, get);
                    client.reset(stream, Http2Frame.CANCEL);
                }),
                new Flood("window_update_flood", 5_000, nothing, client -> client.windowUpdate(0, 1)),
                new Flood("unknown_frame_flood", 5_000, nothing, client -> client.frame(99, 0, 0, new byte[4])),
                new Flood("empty_data_flood", 100, client -> client.open(POST), client -> client.data(1, new byte[0], false))
        ).map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("floods")
    void aFloodEndsItsConnectionWithAReason(Flood flood) throws Exception {
        try (Http2RawClient client = proxy.http2()) {
            flood.begin.accept(client);
            try {
                for (int i = 0; i < flood.frames; i++) {
                    flood.frame.accept(client);
                }
            } catch (UncheckedIOException closedMeanwhile) {
                // The proxy does not read for ever; what it said is read below.
            }
            assertThat(client.awaitGoAway().errorCode()).isEqualTo(ENHANCE_YOUR_CALM);
            client.awaitClosed();
            awaitOthersGone();
        }
        assertThat(metric("penstock_downstream_abuse_total{kind=\"" + flood.abuse + "\"}")).isEqualTo(1);
        assertNeighbourServed();
    }

    @Test
    void aHeaderBlockWithoutEndIsCutOff() throws Exception {
        try (Http2RawClient client = proxy.http2()) {
            client.frame(Http2Frame.HEADERS, Http2Frame.END_STREAM, 1, new byte[0]);
            try {
                for (int i = 0; i < 10_000; i++) {
                    client.frame(Http2Frame.CONTINUATION, 0, 1, new byte[0]);
                }
            } catch (UncheckedIOException closedMeanwhile) {
                // As it should be.
            }
            assertThat(client.awaitGoAway().errorCode()).isEqualTo(ENHANCE_YOUR_CALM);
            client.awaitClosed();
        }
    }

    @Test
    void manyBadClientsMakeFewLogLines() throws Exception {
        long begun = System.nanoTime();
        for (int i = 0; i < 200; i++) {
            try (Http1RawClient client = proxy.http1()) {
                client.send("GET\r\n\r\n");
                Http1Response response = client.response();
                assertThat(response.status()).isEqualTo(400);
            }
        }
        long seconds = (System.nanoTime() - begun) / 1_000_000_000L;
        assertThat(logged()).hasSizeBetween(1, (int) seconds + 2);
        assertThat(metric("penstock_downstream_malformed_requests_total{status=\"400\"}")).isEqualTo(200);
        awaitOthersGone();
    }
}
