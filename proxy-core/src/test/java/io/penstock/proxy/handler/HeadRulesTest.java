package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a head must be, and what is taken out of it. */
class HeadRulesTest {

    private final Http2Headers head = new DefaultHttp2Headers(false).method("POST").scheme("http")
            .authority("a.test:80").path("/v1/x?y=%2f");

    @Test
    void anOrdinaryHeadPasses() {
        assertThat(HeadRules.problem(head, false)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "*", "http://evil/", "/a b", "/a#b", "/a\tb", "/a\u007f", "/\u00e9", "/a\r\nx: y"})
    void aMalformedPathIsRefused(String path) {
        head.path(path);
        assertThat(HeadRules.problem(head, false)).isEqualTo("Malformed path");
    }

    @Test
    void anAsteriskIsForOptionsOnly() {
        head.path("*").method("OPTIONS");
        assertThat(HeadRules.problem(head, false)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /x HTTP/1.1", "G\u0000T", "P(ST"})
    void aMalformedMethodIsRefused(String method) {
        head.method(method);
        assertThat(HeadRules.problem(head, false)).isEqualTo("Malformed method");
    }

    @Test
    void connectIsRefused() {
        head.method("CONNECT");
        assertThat(HeadRules.problem(head, false)).contains("CONNECT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https", "ftp", "http://evil/?"})
    void aSchemeThatIsNotTheConnectionsIsRefused(String scheme) {
        head.scheme(scheme);
        assertThat(HeadRules.problem(head, false)).contains("scheme");
        assertThat(HeadRules.problem(head.scheme("https"), true)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "user@a.test", "a test", "a/b", "a?b", "a\\b", "a#b", "]", "[::1", "[]", "a:b:c",
        "a:99999", "a:", "%zz", "[::1]x", ":80", "[x]:80"})
    void aMalformedAuthorityIsRefused(String authority) {
        head.authority(authority);
        assertThat(HeadRules.problem(head, false)).isEqualTo("Malformed authority");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a.test", "A.test:80", "127.0.0.1:8080", "[::1]", "[2001:db8::1]:443", "a_b.test"})
    void anOrdinaryAuthorityPasses(String authority) {
        head.authority(authority);
        assertThat(HeadRules.problem(head, false)).isNull();
    }

    @Test
    void extendedConnectIsRefused() {
        head.add(":protocol", "websocket");
        assertThat(HeadRules.problem(head, false)).contains("Extended CONNECT");
    }

    @Test
    void aHostThatDiffersFromTheAuthorityIsRefused() {
        head.add("host", "b.test");
        assertThat(HeadRules.problem(head, false)).isEqualTo("Host and authority differ");
    }

    @Test
    void anEqualHostIsDropped() {
        head.add("host", "A.test:80");
        assertThat(HeadRules.problem(head, false)).isNull();
        assertThat(head.contains("host")).isFalse();
    }

    @Test
    void aMissingAuthorityIsTakenFromTheOneHost() {
        head.remove(":authority");
        assertThat(HeadRules.problem(head, false)).contains("authority");
        head.add("host", "c.test");
        assertThat(HeadRules.problem(head, false)).isNull();
        assertThat(head.authority()).asString().isEqualTo("c.test");
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "+5", "-1", "5,5", "9223372036854775808", "", "0x4", "1 "})
    void aMalformedContentLengthIsRefused(String length) {
        head.add("content-length", length);
        assertThat(HeadRules.problem(head, false)).isEqualTo("Malformed content-length");
    }

    @Test
    void twoContentLengthsAreRefused() {
        head.add("content-length", "5").add("content-length", "5");
        assertThat(HeadRules.problem(head, false)).isEqualTo("Malformed content-length");
    }

    @Test
    void anUnderscoreInANameIsRefused() {
        head.add("x_y", "1");
        assertThat(HeadRules.problem(head, false)).contains("underscore");
    }

    @Test
    void ownedAndRoutingNamesOfTheClientAreTakenOut() {
        for (String name : new String[] {"x-gateway-destination-endpoint", "x-gateway-destination-endpoint-subset", "x-prefiller-host-port",
            "x-encoder-hosts-ports", "x-data-parallel-host-port", "x-envoy-retry-on", "x-llm-d-flow-band-headroom-requests",
            "x-llm-d-flow-queue-duration-ms", "x-llm-d-request-dropped-reason", "forwarded", "x-forwarded-host"}) {
            head.add(name, "evil");
        }
        head.add("x-llm-d-inference-objective", "kept").add("x-gateway-inference-fairness-id", "kept").add("authorization", "kept");
        HeadRules.strip(head);
        assertThat(head.names()).extracting(CharSequence::toString).containsExactlyInAnyOrder(":method", ":scheme", ":authority", ":path",
                "x-llm-d-inference-objective", "x-gateway-inference-fairness-id", "authorization");
    }
}
