package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.testkit.Header;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Headers of a megabyte and bodies of a hundred, declared and not (BODY-02). */
class OversizeHostileInputTest extends HostileFixture {

    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final String[] POST = {":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x"};
    private static final String HUNDRED_MEGABYTES = "104857600";
    private static final int LIMIT = 32 << 20;
    private static final String HEAD = "POST /v1/x HTTP/1.1\r\nHost: a.test\r\n";

    @Test
    void aMegabyteOfHttp1HeadersIsTooLarge() throws Exception {
        String manyLines = HEAD + ("A: " + "b".repeat(1_000) + "\r\n").repeat(1_000) + "\r\n";
        String oneLine = HEAD + "A: " + "b".repeat(1 << 20) + "\r\n\r\n";
        String longTarget = "GET /" + "b".repeat(1 << 20) + " HTTP/1.1\r\nHost: a.test\r\n\r\n";
        for (String request : List.of(manyLines, oneLine, longTarget)) {
            try (Http1RawClient client = proxy.http1()) {
                sendUntilClosed(client, request.getBytes(StandardCharsets.US_ASCII));
                Http1Response response = client.response();
                assertThat(response.status()).isEqualTo(request.startsWith("GET") ? 414 : 431);
                assertThat(response.header("connection")).hasValue("close");
                assertThat(client.untilEof()).isEmpty();
            }
        }
        assertNeighbourServed();
        awaitOthersGone();
    }

    private static void sendUntilClosed(Http1RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (UncheckedIOException closedMeanwhile) {
            // What was answered can still be read.
        }
    }

    @Test
    void aMegabyteOfHttp2HeadersIsTooLarge() throws Exception {
        List<Header> headers = new ArrayList<>(Header.list(POST));
        for (int i = 0; i < 1_000; i++) {
            headers.add(new Header("a" + i, "b".repeat(1_000)));
        }
        try (Http2RawClient client = proxy.http2()) {
            try {
                client.headers(client.newStream(), true, headers);
            } catch (UncheckedIOException closedMeanwhile) {
                // What was answered can still be read.
            }
            Http2Frame end = client.await("431, RST_STREAM or GOAWAY", frame -> frame.type() == Http2Frame.GOAWAY
                    || frame.type() == Http2Frame.RST_STREAM || frame.type() == Http2Frame.HEADERS);
            if (end.type() == Http2Frame.HEADERS) {
                assertThat(client.response(1).status()).isEqualTo(431);
            } else {
                assertThat(end.errorCode()).isNotEqualTo(Http2Frame.NO_ERROR);
            }
        }
        assertNeighbourServed();
        awaitOthersGone();
    }

    @Test
    void aSomewhatTooLargeHttp2HeadIs431AndTheConnectionLives() throws Exception {
        try (Http2RawClient client = proxy.http2()) {
            List<Header> headers = new ArrayList<>(Header.list(POST));
            for (int i = 0; i < 70; i++) {
                headers.add(new Header("a" + i, "b".repeat(1_000)));
            }
            int stream = client.newStream();
            client.headers(stream, true, headers);
            assertThat(client.response(stream).status()).isEqualTo(431);
            assertThat(client.response(client.request(BODY, POST)).status()).isEqualTo(200);
        }
    }

    @Test
    void aDeclaredHttp2BodyIsRefusedBeforeItsFirstByte() throws Exception {
        try (Http2RawClient client = proxy.http2()) {
            List<String> head = new ArrayList<>(List.of(POST));
            head.addAll(List.of("content-length", HUNDRED_MEGABYTES));
            int stream = client.open(head.toArray(String[]::new));
            Http2Frame last = client.await("the end of the answer", frame -> frame.stream() == stream && frame.ends());
            assertThat(last.type()).isEqualTo(Http2Frame.DATA);
            assertThat(client.response(stream).status()).isEqualTo(413);
            assertThat(client.response(stream).text()).contains("\"code\":413");
            assertThat(client.await(Http2Frame.RST_STREAM, stream).errorCode()).isEqualTo(Http2Frame.NO_ERROR);
            client.data(stream, new byte[10_000], false);
            assertThat(client.response(client.request(BODY, POST)).status()).as("on the same connection").isEqualTo(200);
            client.roundTrip();
        }
    }

    @Test
    void anUndeclaredHttp2BodyIsRefusedWhenItPassesTheLimit() throws Exception {
        try (Http2RawClient client = proxy.http2()) {
            int stream = client.open(POST);
            client.body(stream, new byte[LIMIT], false);
            assertThat(client.frames(Http2Frame.HEADERS, stream)).isEmpty();
            client.body(stream, new byte[1], false);
            Http2Response response = client.response(stream);
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.text()).contains("\"code\":413");
            assertThat(client.await(Http2Frame.RST_STREAM, stream).errorCode()).isEqualTo(Http2Frame.NO_ERROR);
            backend.awaitDisconnects(1);
            // More than a connection's first window: the refused bytes' credit has come back.
            int next = client.open(POST);
            client.body(next, new byte[2 << 20], true);
            assertThat(client.response(next).status()).isEqualTo(200);
        }
    }

    @Test
    void aDeclaredHttp1BodyIsRefusedBeforeItsFirstByte() throws Exception {
        for (String expect : List.of("", "Expect: 100-continue\r\n")) {
            try (Http1RawClient client = proxy.http1()) {
                client.send(HEAD + expect + "Content-Length: " + HUNDRED_MEGABYTES + "\r\n\r\n");
                Http1Response response = client.response();
                assertThat(response.informational()).isEmpty();
                assertThat(response.status()).isEqualTo(413);
                assertThat(response.text()).contains("\"code\":413");
                assertThat(response.header("connection")).hasValue("close");
                sendUntilClosed(client, new byte[1 << 20]);
                assertThat(client.untilEof()).isEmpty();
            }
        }
        awaitOthersGone();
    }

    @Test
    void aChunkedHttp1BodyIsRefusedWhenItPassesTheLimit() throws Exception {
        byte[] chunk = ("10000\r\n" + "x".repeat(1 << 16) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        try (Http1RawClient client = proxy.http1()) {
            client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            for (int sent = 0; sent < LIMIT; sent += 1 << 16) {
                client.send(chunk);
            }
            sendUntilClosed(client, chunk);
            sendUntilClosed(client, chunk);
            Http1Response response = client.response();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.header("connection")).hasValue("close");
            assertThat(response.text()).contains("\"code\":413");
            assertThat(client.untilEof()).isEmpty();
        }
        backend.awaitDisconnects(1);
        awaitOthersGone();
        assertNeighbourServed();
    }
}
