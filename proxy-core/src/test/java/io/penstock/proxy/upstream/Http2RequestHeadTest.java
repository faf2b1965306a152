package io.penstock.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2RequestHeadTest {

    private static Http2Headers head(String... fields) {
        Http2Headers head = new DefaultHttp2Headers(false).method("POST").scheme("https").path("/v1").authority("a.example");
        for (int i = 0; i < fields.length; i += 2) {
            head.add(fields[i], fields[i + 1]);
        }
        return head;
    }

    private static List<String> lines(Http2Headers head) {
        List<String> lines = new ArrayList<>();
        Http2RequestHead.of(head, "default.example").forEach(field -> lines.add(field.getKey() + ": " + field.getValue()));
        return lines;
    }

    @Test
    void theSchemeIsThatOfTheConnectionAndTheRestPasses() {
        assertThat(lines(head("content-length", "3", "Accept", "a", "accept", "b", "cookie", "x=1; y=2")))
                .containsExactlyInAnyOrder(":method: POST", ":scheme: http", ":path: /v1", ":authority: a.example", "content-length: 3",
                        "accept: a", "accept: b", "cookie: x=1; y=2")
                .startsWith(":method: POST");
    }

    @Test
    void whatBelongsToTheClientsConnectionStaysThere() {
        assertThat(lines(head("connection", "close, X-Mine", "x-mine", "1", "keep-alive", "1", "proxy-connection", "x", "te", "trailers",
                "transfer-encoding", "chunked", "upgrade", "h2c", "http2-settings", "x", "trailer", "x", "host", "b.example", "expect",
                "100-continue", "kept", "1")))
                .containsExactlyInAnyOrder(":method: POST", ":scheme: http", ":path: /v1", ":authority: a.example", "kept: 1");
    }

    @Test
    void theClientsOwnHeadStaysAsItIs() {
        Http2Headers head = head("te", "trailers");
        lines(head);
        assertThat(head).isEqualTo(head("te", "trailers"));
    }

    @Test
    void anAuthorityIsFound() {
        Http2Headers none = new DefaultHttp2Headers().method("GET").scheme("http").path("/");
        assertThat(lines(none)).contains(":authority: default.example");
        assertThat(lines(none.add("host", "h.example"))).contains(":authority: h.example");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "G T", "CONNECT"})
    void methodsAreTokens(String method) {
        assertThatThrownBy(() -> lines(head().method(method))).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/a b", "/a\r\n", "/\u00e4", "/\0", "/\u007f", "/\u0161"})
    void pathsAndAuthoritiesAreVisible(String text) {
        assertThatThrownBy(() -> lines(head().path(text))).isInstanceOf(IllegalArgumentException.class);
        if (!text.isEmpty()) {
            assertThatThrownBy(() -> lines(head().authority(text))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void everyByteOfAPathIsLookedAt() {
        for (int c = 0; c < 256; c++) {
            AsciiString path = new AsciiString(new byte[] {'x', '/', (byte) c, 'a'}, 1, 2, false);
            if (c > ' ' && c < 0x7f) {
                assertThat(lines(head().path(path))).contains(":path: /" + (char) c);
            } else {
                assertThatThrownBy(() -> lines(head().path(path))).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("0x" + Integer.toHexString(c) + ' ');
            }
        }
    }

    @Test
    void namesAndValuesCannotHoldAnother() {
        assertThatThrownBy(() -> lines(head("a b", "c"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lines(head("", "c"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lines(head("a", "b\nc: d"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void lengthsAreDigits() {
        assertThat(ContentLength.of(head("content-length", "12", "content-length", "12"))).isEqualTo(12);
        assertThat(ContentLength.of(head())).isEqualTo(ContentLength.UNKNOWN);
        for (String wrong : List.of("", "+1", "-1", "1,1", " 1", "1e3", "1234567890123456789")) {
            assertThatThrownBy(() -> ContentLength.of(head("content-length", wrong))).as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> ContentLength.of(head("content-length", "1", "content-length", "2")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ContentLength.ofRequest(head("content-length", "1"), true)).isInstanceOf(IllegalArgumentException.class);
    }
}
