package io.penstock.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.codec.RequestEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHeadTest {

    private final Http2Headers head = new DefaultHttp2Headers(false).method("POST").path("/v1/x?y=z").scheme("http")
            .authority("a.example:80");

    private String encode(boolean last) {
        ByteBuf out = new RequestEncoder().encode(ByteBufAllocator.DEFAULT, head, RequestEncoder.bodyLength(head, last),
                "10.0.0.1:8000", 0);
        try {
            return out.toString(StandardCharsets.ISO_8859_1);
        } finally {
            out.release();
        }
    }

    @AfterEach
    void noBufferLeaks() {
        LeakPresenceDetector.check();
    }

    @Test
    void pseudoHeadersBecomeTheRequestLineAndHost() {
        head.add("x-a", "1").add("x-a", "2");
        assertThat(encode(false)).isEqualTo(
                "POST /v1/x?y=z HTTP/1.1\r\nhost: a.example:80\r\nx-a: 1\r\nx-a: 2\r\ntransfer-encoding: chunked\r\n\r\n");
    }

    @Test
    void hostIsWrittenOnceWhereverItComesFrom() {
        head.add("host", "other.example");
        assertThat(encode(true)).contains("\r\nhost: a.example:80\r\n").doesNotContain("other");
        head.remove(":authority");
        assertThat(encode(true)).contains("\r\nhost: other.example\r\n");
        head.remove("host");
        assertThat(encode(true)).contains("\r\nhost: 10.0.0.1:8000\r\n");
    }

    @Test
    void hopByHopNamesAndExpectStayBehind() {
        head.add("connection", "close, X-Foo").add("x-foo", "1").add("keep-alive", "1").add("proxy-connection", "1").add("te", "trailers")
                .add("upgrade", "h2c").add("http2-settings", "x").add("trailer", "x").add("expect", "100-continue")
                .add("transfer-encoding", "gzip").add(":protocol", "websocket").add("accept", "*/*");
        assertThat(encode(false)).isEqualTo(
                "POST /v1/x?y=z HTTP/1.1\r\nhost: a.example:80\r\naccept: */*\r\ntransfer-encoding: chunked\r\n\r\n");
    }

    @Test
    void aListedCookieStaysBehindButHostAndLengthAreTheProxysOwn() {
        head.add("connection", "Cookie, host, content-length").add("cookie", "a").add("content-length", "5");
        assertThat(encode(false)).isEqualTo("POST /v1/x?y=z HTTP/1.1\r\nhost: a.example:80\r\ncontent-length: 5\r\n\r\n");
    }

    @Test
    void cookieCrumbsBecomeOneLine() {
        head.add("cookie", "a=1").add("x", "y").add("cookie", "b=\"2 3\"").add("cookie", "c");
        assertThat(encode(false)).containsOnlyOnce("cookie").contains("\r\ncookie: a=1; b=\"2 3\"; c\r\n");
    }

    @Test
    void aValidLengthIsKeptAndExcludesChunks() {
        head.add("content-length", "007");
        assertThat(RequestEncoder.bodyLength(head, false)).isEqualTo(7);
        assertThat(encode(false)).containsOnlyOnce("content-length").contains("\r\ncontent-length: 7\r\n").doesNotContain("chunked");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "+5", "-5", "5, 5", "5 ", "0x5", "5e1", "9999999999999999999"})
    void aDoubtfulLengthGivesWayToChunks(String length) {
        head.add("content-length", length);
        assertThat(encode(false)).contains("\r\ntransfer-encoding: chunked\r\n").doesNotContain("content-length");
    }

    @Test
    void twoLengthsGiveWayToChunks() {
        head.add("content-length", "5").add("content-length", "5");
        assertThat(encode(false)).contains("\r\ntransfer-encoding: chunked\r\n").doesNotContain("content-length");
    }

    @Test
    void aRequestWithoutABodyDeclaresNoneOrZero() {
        assertThat(encode(true)).endsWith("\r\ncontent-length: 0\r\n\r\n");
        head.add("content-length", "12");
        assertThat(encode(true)).endsWith("\r\ncontent-length: 0\r\n\r\n");
        head.remove("content-length");
        head.method("GET");
        assertThat(encode(true)).endsWith("\r\nhost: a.example:80\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nb: c", "a\nb", "a\rb", "a\0b", " a"})
    void aValueThatCouldEndItsLineIsRefused(String value) {
        head.add("x", value);
        assertThatThrownBy(() -> encode(false)).isInstanceOf(IllegalArgumentException.class).hasMessageNotContaining("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a:b", "a\r\nb", "", "\u00e4"})
    void aNameThatIsNoTokenIsRefused(String name) {
        head.add(name, "x");
        assertThatThrownBy(() -> encode(false)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/a b", "/a\r\nx: y", "/a\tb", "/\u00e4", "/\u010d"})
    void aPathThatCouldEndTheRequestLineIsRefused(String path) {
        head.path(path);
        assertThatThrownBy(() -> encode(false)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /x", "CONNECT", "G\r\n"})
    void aMethodThatIsNoTokenIsRefused(String method) {
        head.method(method);
        assertThatThrownBy(() -> encode(false)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anAuthorityWithALineEndIsRefused() {
        head.authority("a\r\nx: y");
        assertThatThrownBy(() -> encode(false)).isInstanceOf(IllegalArgumentException.class);
    }
}
