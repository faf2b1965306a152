package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Model servers that answer nonsense: a clear status before the head, a visible cut after it, and never another request's harm. */
class BackendHostileInputTest extends HostileFixture {

    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    static Stream<Arguments> beforeTheHead() {
        return Stream.of(
                row(503, "no byte", Script.empty().fin()),
                row(503, "reset", Script.empty().reset()),
                row(503, "half a status line", Script.raw("HTTP/1.1 20").fin()),
                row(503, "half a head", Script.raw(OK + "Content-Type: a").fin()),
                row(502, "no HTTP", Script.raw("garbage\r\n\r\n").fin()),
                row(502, "binary", Script.raw("\0\1\2\3\377\376\r\n\r\n").fin()),
                row(502, "a TLS alert", Script.raw("\25\3\3\0\2\2\50\r\n\r\n").fin()),
                row(502, "HTTP/2 frames", Script.raw("\0\0\0\4\0\0\0\0\0\r\n\r\n").fin()),
                row(502, "a status in words", Script.raw("HTTP/1.1 abc OK\r\n\r\n").fin()),
                row(502, "a status of six digits", Script.raw("HTTP/1.1 200200 OK\r\n\r\n").fin()),
                row(502, "another version", Script.raw("HTTP/7.3 200 OK\r\nContent-Length: 0\r\n\r\n").fin()),
                row(502, "a length in words", Script.raw(OK + "Content-Length: ten\r\n\r\n").fin()),
                row(502, "a negative length", Script.raw(OK + "Content-Length: -1\r\n\r\n").fin()),
                row(502, "two lengths", Script.raw(OK + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab").fin()),
                row(502, "length and chunks", Script.raw(OK + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").fin()),
                row(502, "a space before the colon", Script.raw(OK + "A : b\r\nContent-Length: 0\r\n\r\n").fin()),
                row(502, "a NUL in a value", Script.raw(OK + "A: b\0c\r\nContent-Length: 0\r\n\r\n").fin()),
                row(502, "a megabyte of headers", Script.raw(OK + ("A: " + "b".repeat(1_000) + "\r\n").repeat(1_000) + "\r\n").fin()),
                row(502, "one long line", Script.raw("HTTP/1.1 200 " + "b".repeat(1 << 20))),
                row(502, "interim heads for ever", Script.raw("HTTP/1.1 103 Early\r\nLink: a\r\n\r\n".repeat(50)).silence()));
    }

    private static Arguments row(int status, String what, Script script) {
        return Arguments.of(status, what, script);
    }

    @ParameterizedTest(name = "{1} is {0}")
    @MethodSource("beforeTheHead")
    void nonsenseBeforeTheHeadIsAClearError(int status, String what, Script script) throws Exception {
        backend.answer(script);
        try (Http2RawClient client = proxy.http2()) {
            Http2Response response = client.response(post(client));
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.complete()).isTrue();
            assertThat(response.header("content-type")).hasValue("application/json");
            assertThat(response.text()).contains("\"code\":" + status).doesNotContain("127.0.0.1");
            backend.answer(Script.json(200, "{}"));
            assertThat(client.response(post(client)).status()).as("the next request").isEqualTo(200);
        }
        assertNeighbourServed();
    }

    static Stream<Arguments> afterTheHead() {
        String chunked = OK + "Transfer-Encoding: chunked\r\n\r\n";
        return Stream.of(
                row(200, "a length that is not reached", Script.raw(OK + "Content-Length: 100\r\n\r\n0123456789").fin()),
                row(200, "a reset in the body", Script.raw(OK + "Content-Length: 100\r\n\r\n0123456789").hold("body").reset()),
                row(200, "no last chunk", Script.raw(chunked + "2\r\nab\r\n").fin()),
                row(200, "a chunk size in words", Script.raw(chunked + "2\r\nab\r\nten\r\n")),
                row(200, "a chunk size beyond all bounds", Script.raw(chunked + "2\r\nab\r\nfffffffffffffffffff\r\n")),
                row(200, "no line end after a chunk", Script.raw(chunked + "2\r\nabcdef\r\n")),
                row(200, "a megabyte of trailers", Script.raw(chunked + "2\r\nab\r\n0\r\n"
                        + ("A: " + "b".repeat(1_000) + "\r\n").repeat(1_000) + "\r\n")));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("afterTheHead")
    void nonsenseAfterTheHeadIsACutThatTheClientSees(int status, String what, Script script) throws Exception {
        backend.answer(script);
        try (Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = post(http2);
            assertThat(Http2Frame.HEADERS).isEqualTo(http2.await(Http2Frame.HEADERS, stream).type());
            backend.release("body");
            Http2Response response = http2.response(stream);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.complete()).isFalse();
            assertThat(http2.await(Http2Frame.RST_STREAM, stream).errorCode()).isEqualTo(Http2Frame.INTERNAL_ERROR);

            http1.send("POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}");
            Http1Response cut = http1.response();
            assertThat(cut.status()).isEqualTo(status);
            assertThat(cut.complete()).isFalse();

            backend.answer(Script.json(200, "{}"));
            assertThat(http2.response(post(http2)).status()).as("the next request").isEqualTo(200);
        }
        assertNeighbourServed();
    }

    private static int post(Http2RawClient client) {
        return client.request(BODY, ":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x");
    }
}
