package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.demo.SeenRequest;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the backend gets of a request. */
class RequestEndToEndTest {

    private final ScriptedBackend backend = ScriptedBackend.start();
    private RunningProxy proxy;
    private Http2RawClient http2;
    private Http1RawClient http1;

    @BeforeEach
    void start() throws Exception {
        proxy = RunningProxy.start(1, List.of(backend), "", RunningProxy.PICKER.formatted(8));
        http2 = proxy.http2();
        http1 = proxy.http1();
    }

    @AfterEach
    void close() {
        proxy.awaitQuiet();
        proxy.close();
        backend.close();
    }

    private SeenRequest last() {
        List<SeenRequest> seen = backend.requests();
        return seen.get(seen.size() - 1);
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEmptyDataFrameEndsTheBody(boolean withLength) throws Exception {
        byte[] body = "{\"prompt\":\"x\"}".getBytes(StandardCharsets.US_ASCII);
        int stream = http2.open(withLength ? Calls.head("POST", "content-length", Integer.toString(body.length)) : Calls.head("POST"));
        http2.data(stream, body, false);
        http2.data(stream, new byte[0], true);
        assertThat(http2.response(stream).status()).isEqualTo(200);
        assertThat(last().complete()).isTrue();
        assertThat(last().bodySha256()).isEqualTo(sha256(body));
        assertThat(last().header("content-length")).isEqualTo(withLength ? Integer.toString(body.length) : null);
        assertThat(last().header("transfer-encoding")).isEqualTo(withLength ? null : "chunked");
    }

    @Test
    void answersThatNoHandlerMadeCarryARequestIdToo() throws Exception {
        http1.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-Request-Id: mine\r\n\r\n");
        Http1Response twoHosts = http1.response();
        assertThat(twoHosts.status()).isEqualTo(400);
        assertThat(twoHosts.all("x-request-id")).containsExactly("mine");

        String[] many = new String[202];
        for (int i = 0; i < many.length; i += 2) {
            many[i] = "x-h" + i;
            many[i + 1] = "1";
        }
        Http2Response tooMany = http2.response(http2.request(Calls.head("GET", many)));
        assertThat(tooMany.status()).isEqualTo(431);
        assertThat(tooMany.all("x-request-id")).hasSize(1);
    }

    @Test
    void bodiesOfAnySizeAndFramingArriveWhole() throws Exception {
        Random random = new Random(7);
        for (int size : new int[] {1, 1000, 65_535, 65_536, 65_537, 300_000, 2_000_000}) {
            byte[] body = new byte[size];
            random.nextBytes(body);
            int stream = http2.open(Calls.head("POST"));
            http2.body(stream, body, true);
            assertThat(http2.response(stream).status()).isEqualTo(200);
            assertThat(last().bodySha256()).as("HTTP/2, %d", size).isEqualTo(sha256(body));
            http1.send(Calls.http1("POST", size));
            http1.send(body);
            assertThat(http1.response().status()).isEqualTo(200);
            assertThat(last().bodySha256()).as("HTTP/1.1, %d", size).isEqualTo(sha256(body));
            http1.send(Calls.http1("POST", -1, "Transfer-Encoding: chunked"));
            for (int at = 0; at < size; at += 50_000) {
                int length = Math.min(50_000, size - at);
                http1.send(Integer.toHexString(length) + "\r\n");
                http1.send(java.util.Arrays.copyOfRange(body, at, at + length));
                http1.send("\r\n");
            }
            http1.send("0\r\n\r\n");
            assertThat(http1.response().status()).isEqualTo(200);
            assertThat(last().bodySha256()).as("chunked, %d", size).isEqualTo(sha256(body));
        }
    }

    @Test
    void splitCookiesBecomeOneLine() {
        http2.response(Calls.post(http2, "cookie", "a=1", "cookie", "b=2", "cookie", "c=3"));
        assertThat(last().headers("cookie")).containsExactly("a=1; b=2; c=3");
    }

    @Test
    void hopByHopFieldsStayBehind() {
        Calls.post(http1, "Connection: keep-alive, X-Hop", "X-Hop: 1", "Keep-Alive: timeout=5", "TE: trailers",
                "Proxy-Connection: keep-alive", "X-Kept: 1");
        assertThat(http1.response().status()).isEqualTo(200);
        SeenRequest seen = last();
        assertThat(seen.header("x-kept")).isEqualTo("1");
        for (String name : List.of("x-hop", "keep-alive", "proxy-connection", "te", "upgrade")) {
            assertThat(seen.header(name)).as(name).isNull();
        }
        http2.response(Calls.post(http2, "te", "trailers", "x-kept", "2"));
        assertThat(last().header("x-kept")).isEqualTo("2");
        assertThat(last().header("te")).isNull();
        assertThat(last().headers("host")).containsExactly("a.test");
    }

    @Test
    void hopByHopFieldsOfAnAnswerStayBehindToo() {
        backend.answer(Script.json(200, "{}", "Connection: keep-alive, X-Hop", "X-Hop: 1", "Keep-Alive: timeout=5", "Proxy-Connection: a",
                "Upgrade: h2c", "X-Kept: 1"));
        Http2Response response = http2.response(Calls.post(http2));
        assertThat(response.headers()).extracting("name").contains("x-kept", "content-type", "content-length")
                .doesNotContain("x-hop", "keep-alive", "proxy-connection", "upgrade", "connection");
        Calls.post(http1);
        var second = http1.response();
        assertThat(second.header("x-kept")).hasValue("1");
        assertThat(second.header("x-hop")).isEmpty();
        assertThat(second.header("upgrade")).isEmpty();
    }

    @Test
    void requestsWithoutABodyPassAtOnce() {
        for (String method : List.of("GET", "OPTIONS", "DELETE")) {
            Http2Response response = http2.response(http2.request(Calls.head(method)));
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header(Calls.HEADROOM)).isEmpty();
            assertThat(last().method()).isEqualTo(method);
            assertThat(last().header("transfer-encoding")).isNull();
            http1.send(Calls.http1(method, -1));
            assertThat(http1.response().status()).isEqualTo(200);
        }
        http1.send(Calls.http1("POST", 0));
        assertThat(http1.response().header(Calls.HEADROOM)).isEmpty();
        assertThat(last().header("content-length")).isEqualTo("0");
    }

    @Test
    void expectationsAreAnsweredOnceAtDispatch() {
        http1.send(Calls.http1("POST", 2, "Expect: 100-continue"));
        assertThat(http1.head().status()).isEqualTo(100);
        http1.send("{}");
        assertThat(http1.response().status()).isEqualTo(200);
        assertThat(last().header("expect")).isNull();
        int stream = http2.open(Calls.head("POST", "expect", "100-continue"));
        http2.await("100", frame -> frame.is(Http2Frame.HEADERS, stream) && frame.headers().get(0).value().equals("100"));
        http2.data(stream, new byte[2], true);
        assertThat(http2.response(stream).informational()).hasSize(1);
    }

    @Test
    void aBodyThatIsNotAsLongAsItSaysIsRefused() {
        int longer = http2.open(Calls.head("POST", "content-length", "2"));
        http2.data(longer, new byte[5], true);
        Http2Response first = http2.response(longer);
        assertThat(first.status() == 400 || !first.complete()).isTrue();
        int shorter = http2.open(Calls.head("POST", "content-length", "5"));
        http2.data(shorter, new byte[2], true);
        Http2Response second = http2.response(shorter);
        assertThat(second.status() == 400 || !second.complete()).isTrue();
        assertThat(http2.response(Calls.post(http2)).status()).as("the connection goes on").isEqualTo(200);
    }
}
