package io.penstock.proxy.downstream;

import static io.penstock.proxy.downstream.Http2Probe.DATA;
import static io.penstock.proxy.downstream.Http2Probe.END_HEADERS;
import static io.penstock.proxy.downstream.Http2Probe.END_STREAM;
import static io.penstock.proxy.downstream.Http2Probe.GOAWAY;
import static io.penstock.proxy.downstream.Http2Probe.HEADERS;
import static io.penstock.proxy.downstream.Http2Probe.RST_STREAM;
import static io.penstock.proxy.downstream.Http2Probe.SETTINGS;
import static io.penstock.proxy.downstream.Http2Probe.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.downstream.Http2Probe.Frame;
import io.penstock.proxy.request.DownstreamExchange;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2DownstreamTest {

    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);

    private TestProxy proxy;
    private Http2Probe client;

    @BeforeEach
    void start() {
        proxy = new TestProxy();
        client = new Http2Probe(proxy.address());
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

    @Test
    void theFirstFrameTellsTheLimits() {
        Frame settings = client.await(SETTINGS, 0);

        assertThat(settings.payload()).contains(Http2Probe.setting(3, 100)).contains(Http2Probe.setting(6, 60 << 10));
        assertThat(client.await(WINDOW_UPDATE, 0).number(0)).isEqualTo((1 << 20) - 65_535);
    }

    @Test
    void aRequestAndItsBodyGoThroughAndTheResponseComesBack() {
        client.post(1, "/echo", "x-a", "b").data(1, HELLO, true).send();

        assertThat(client.awaitHeaders(1).status()).hasToString("200");
        Frame data = client.await(DATA, 1);
        assertThat(data.payload()).isEqualTo(HELLO);
        assertThat(data.last()).isTrue();
        DownstreamExchange exchange = proxy.requests.only().client();
        assertThat(exchange.protocol()).isEqualTo("HTTP/2");
        assertThat(exchange.peer()).isEqualTo("127.0.0.1");
        assertThat(exchange.secure()).isFalse();
        assertThat(proxy.requests.only().head().get("x-a")).hasToString("b");
        assertThat(proxy.requests.closed).isEmpty();
    }

    @Test
    void anEmptyDataFrameMayEndTheBody() {
        client.post(1, "/echo", "content-length", "5").data(1, HELLO, false).data(1, new byte[0], true).send();

        assertThat(client.awaitHeaders(1).status()).hasToString("200");
        assertThat(client.await(DATA, 1).payload()).isEqualTo(HELLO);
    }

    @Test
    void trailersGoThroughBothWays() {
        client.post(1, "/echo").data(1, HELLO, false)
                .frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Probe.fields("x-check", "7")).send();
        assertThat(client.await(DATA, 1).payload()).isEqualTo(HELLO);
        assertThat(proxy.requests.trailers.element().get("x-check")).hasToString("7");

        client.get(3, "/trailers").send();
        assertThat(client.awaitHeaders(3).status()).hasToString("103");
        assertThat(client.awaitHeaders(3).status()).hasToString("200");
        assertThat(client.await(DATA, 3).last()).isFalse();
        Http2Headers trailers = client.awaitHeaders(3);
        assertThat(trailers.get("x-sum")).hasToString("3");
        assertThat(trailers.contains("transfer-encoding")).isFalse();
    }

    @Test
    void pseudoHeadersInTrailersEndTheStreamOnly() {
        client.post(1, "/echo").frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Probe.fields(":path", "/x")).send();

        assertThat(client.await(RST_STREAM, 1).number(0)).isEqualTo(1);
        assertThat(proxy.requests.closed).containsExactly("/echo PROTOCOL_ERROR");
        stillWorks(3);
    }

    @Test
    void anEarlyAnswerIsCompleteAndThenTheUploadIsCalledOff() {
        client.post(1, "/early", "content-length", "209715200").send();

        assertThat(client.awaitHeaders(1).status()).hasToString("413");
        assertThat(client.await(DATA, 1).last()).isTrue();
        assertThat(client.await(RST_STREAM, 1).number(0)).isZero();
        IntStream.range(0, 100).forEach(i -> client.data(1, new byte[16_000], false));
        client.send();
        stillWorks(3);
        assertThat(proxy.requests.closed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"204", "304"})
    void aResponseWithoutBodyEndsWithItsHead(String status) {
        client.get(1, "/status/" + status).send();

        assertThat(client.await(HEADERS, 1).flags() & END_STREAM).isEqualTo(END_STREAM);
        stillWorks(3);
    }

    @Test
    void aResponseToHeadEndsWithItsHeadAndKeepsItsLength() {
        client.frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Probe.request("HEAD", "/status/200")).send();

        Http2Headers head = client.awaitHeaders(1);
        assertThat(head.get("content-length")).hasToString("628");
        assertThat(head.contains("connection")).isFalse();
        assertThat(head.contains("transfer-encoding")).isFalse();
        stillWorks(3);
    }

    @Test
    void aResetIsToldOnce() {
        client.post(1, "/hang").data(1, HELLO, true).rst(1, 8).send();
        client.ping();

        assertThat(proxy.requests.closed).containsExactly("/hang RESET");
        client.close();
        await().until(() -> proxy.listeners.openConnections() == 0);
        assertThat(proxy.requests.closed).hasSize(1);
    }

    @Test
    void aLostConnectionIsToldToEveryRequest() {
        client.post(1, "/hang").get(3, "/hang").get(5, "/hello").send();
        client.await(DATA, 5);
        client.close();

        await().untilAsserted(() -> assertThat(proxy.requests.closed).containsExactlyInAnyOrder("/hang DISCONNECTED",
                "/hang DISCONNECTED"));
    }

    @Test
    void ourResetCarriesItsCodeAndNobodyIsTold() {
        client.get(1, "/reset").send();

        assertThat(client.await(RST_STREAM, 1).number(0)).isEqualTo(2);
        stillWorks(3);
        assertThat(proxy.requests.closed).isEmpty();
    }

    @Test
    void aHandlerThatThrowsLosesItsOwnStreamOnly() {
        client.get(1, "/throw").send();

        assertThat(client.await(RST_STREAM, 1).number(0)).isEqualTo(2);
        stillWorks(3);
        assertThat(proxy.faults).containsExactly(ConnectionFault.INTERNAL_ERROR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "+5", "-1", "5,6", "9223372036854775808"})
    void aWrongContentLengthEndsTheStreamOnly(String length) {
        client.post(1, "/echo", "content-length", length).data(1, HELLO, true).send();

        assertThat(client.await(RST_STREAM, 1).number(0)).isEqualTo(1);
        stillWorks(3);
    }

    @Test
    void cookieCrumbsBecomeOneFieldAndHostTheAuthority() {
        client.frame(HEADERS, END_HEADERS | END_STREAM, 1,
                Http2Probe.request("GET", "/hello", "cookie", "a=1", "cookie", "b=2", "host", "TEST", "cookie", "c=3")).send();

        client.await(DATA, 1);
        Http2Headers head = proxy.requests.only().head();
        assertThat(head.getAll("cookie")).hasSize(1);
        assertThat(head.get("cookie")).hasToString("a=1; b=2; c=3");
        assertThat(head.contains("host")).isFalse();
    }

    @Test
    void anotherHostThanTheAuthorityIsRefused() {
        client.frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Probe.request("GET", "/hello", "host", "other")).send();

        assertThat(client.awaitHeaders(1).status()).hasToString("400");
        assertThat(new String(client.await(DATA, 1).payload(), StandardCharsets.US_ASCII))
                .isEqualTo("{\"error\":{\"message\":\"The host header and the request's authority differ.\","
                        + "\"type\":\"BadRequestError\",\"param\":null,\"code\":400}}");
        assertThat(proxy.requests.requests).isEmpty();
    }

    @Test
    void connectIsRefused() {
        client.frame(HEADERS, END_HEADERS, 1, Http2Probe.fields(":method", "CONNECT", ":authority", "a:443")).send();

        assertThat(client.awaitHeaders(1).status()).hasToString("403");
    }

    @Test
    void tooManyHeadersAreRefusedOnTheirStream() {
        String[] fields = new String[202];
        for (int i = 0; i < fields.length; i += 2) {
            fields[i] = "cookie";
            fields[i + 1] = "a";
        }
        client.frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Probe.request("GET", "/hello", fields)).send();

        assertThat(client.awaitHeaders(1).status()).hasToString("431");
        stillWorks(3);
    }

    @Test
    void aHeaderListAboveTheLimitIsRefusedOnItsStreamAndOneFarAboveEndsTheConnection() {
        client.close();
        proxy.close();
        proxy = new TestProxy(TestProxy.limits(8 << 10, 100, 100, 100));
        client = new Http2Probe(proxy.address());
        client.get(1, "/hang").frame(HEADERS, END_HEADERS | END_STREAM, 3, Http2Probe.request("GET", "/hello", "x", "a".repeat(9_000)))
                .send();

        assertThat(client.awaitHeaders(3).status()).hasToString("431");
        stillWorks(5);
        assertThat(proxy.requests.closed).isEmpty();

        client.frame(HEADERS, END_HEADERS | END_STREAM, 7, Http2Probe.request("GET", "/hello", "x", "a".repeat(12_000))).send();
        assertThat(client.await(GOAWAY, 0)).isNotEqualTo(Http2Probe.END);
        assertThat(client.await(GOAWAY, 0)).isEqualTo(Http2Probe.END);
    }

    @Test
    void framesThatComeAndEndInOneReadLeaveNothing() {
        for (int round = 0; round < 5; round++) {
            try (Http2Probe other = new Http2Probe(proxy.address())) {
                for (int i = 0; i < 400; i++) {
                    int stream = 2 * i + 1;
                    other.post(stream, "/hang").data(stream, HELLO, false).rst(stream, 8).data(stream, HELLO, true);
                }
                other.send();
            }
        }
        await().untilAsserted(() -> assertThat(proxy.requests.closed).hasSameSizeAs(proxy.requests.requests));
    }

    private void stillWorks(int stream) {
        client.get(stream, "/hello").send();
        assertThat(client.awaitHeaders(stream).status()).hasToString("200");
    }
}
