package io.penstock.proxy.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2RawClientTest {

    private static final String[] GET = {":method", "GET", ":scheme", "http", ":authority", "test", ":path", "/"};
    private static final String[] POST = {":method", "POST", ":scheme", "http", ":authority", "test", ":path", "/"};

    private static TinyServer server;

    @BeforeAll
    static void start() {
        server = TinyServer.plain();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aResponseIsReadWhole() {
        try (Http2RawClient client = Http2RawClient.connect(server.port())) {
            Http2Response response = client.response(client.request("body".getBytes(US_ASCII),
                    ":method", "POST", ":scheme", "http", ":path", "/", TinyServer.MORE, "1"));
            assertThat(response.informational()).containsExactly(Header.list(":status", "103", "link", "</style.css>"));
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.all("x-twice")).containsExactly("a", "b");
            assertThat(response.text()).isEqualTo(TinyServer.GREETING + "body");
            assertThat(response.trailers()).containsExactly(new Header("x-trailer", "end"));
            assertThat(response.complete()).isTrue();
            assertThat(client.responseHeaders(1)).isEqualTo(response.headers());
        }
    }

    @Test
    void streamsAreNumberedAndKeptApart() {
        try (Http2RawClient client = Http2RawClient.connect(server.port())) {
            int first = client.open(POST);
            int second = client.request(GET);
            assertThat(List.of(first, second)).containsExactly(1, 3);
            assertThat(client.response(second).text()).isEqualTo(TinyServer.GREETING);
            client.body(first, "late".getBytes(US_ASCII), true);
            assertThat(client.response(first).text()).isEqualTo(TinyServer.GREETING + "late");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {126, 127, 128, 255, 300, 20_000})
    void literalsOfEveryLengthAreUnderstood(int length) {
        byte[] block = HeaderBlock.encode(Header.list("x-long", "v".repeat(length)));
        assertThat(new HeaderBlock().decode(1, block)).containsExactly(new Header("x-long", "v".repeat(length)));
    }

    @Test
    void aLongBlockIsContinued() {
        try (Http2RawClient client = Http2RawClient.connect(server.port())) {
            client.roundTrip();
            int stream = client.newStream();
            List<Header> headers = new ArrayList<>(Header.list(GET));
            headers.add(new Header("x-a", "a".repeat(3_000)));
            headers.add(new Header("x-b", "b".repeat(3_000)));
            headers.add(new Header("x-c", "c".repeat(14_000)));
            client.headers(stream, true, headers);
            assertThat(client.response(stream).status()).isEqualTo(200);
        }
    }

    @Test
    void aBodyLargerThanTheWindowsIsSentAsCreditComes() {
        byte[] body = "x".repeat(300_000).getBytes(US_ASCII);
        try (Http2RawClient client = Http2RawClient.connect(server.port())) {
            assertThat(client.response(client.request(body, POST)).body()).hasSize(body.length + TinyServer.GREETING.length());
        }
    }

    @Test
    void withoutCreditTheServerStopsAtTheWindow() {
        byte[] body = "x".repeat(5_000).getBytes(US_ASCII);
        try (Http2RawClient client = Http2RawClient.to(server.port()).initialWindow(1_000).noWindowUpdates().open()) {
            int stream = client.request(body, POST);
            client.responseHeaders(stream);
            client.roundTrip();
            assertThat(received(client, stream)).isEqualTo(1_000);
            client.windowUpdate(stream, 500);
            client.roundTrip();
            assertThat(received(client, stream)).isEqualTo(1_500);
            client.windowUpdate(stream, 100_000);
            assertThat(client.response(stream).body()).hasSize(5_000 + TinyServer.GREETING.length());
        }
    }

    private static int received(Http2RawClient client, int stream) {
        return client.frames(Http2Frame.DATA, stream).stream().mapToInt(f -> f.content().length).sum();
    }

    @Test
    void brokenFramesGoOutAsTheyAre() {
        try (Http2RawClient client = Http2RawClient.connect(server.port())) {
            client.frame(Http2Frame.SETTINGS, 0, 7, new byte[0]);
            Http2Frame goAway = client.awaitGoAway();
            assertThat(goAway.errorCode()).isEqualTo(Http2Frame.PROTOCOL_ERROR);
            client.awaitClosed();
            assertThat(client.next()).isNull();
        }
    }

    @Test
    void aBadPrefaceGetsNoAnswer() {
        try (Http2RawClient client = Http2RawClient.to(server.port()).noPreface().open()) {
            client.bytes("GARBAGE / HTTP/9\r\n\r\n\r\n\r\n".getBytes(US_ASCII));
            client.awaitClosed();
            assertThat(client.frames()).noneMatch(f -> f.type() == Http2Frame.HEADERS);
        }
    }

    @Test
    void aResetStreamIsNoResponse() {
        try (Http2RawClient client = Http2RawClient.connect(server.port())) {
            int stream = client.newStream();
            client.headers(stream, true, Header.list(":method", "GET", ":scheme", "http", ":path", "/", "Upper", "case"));
            Http2Frame end = client.await("refusal", f -> f.type() == Http2Frame.RST_STREAM || f.type() == Http2Frame.GOAWAY);
            assertThat(end.errorCode()).isEqualTo(Http2Frame.PROTOCOL_ERROR);
        }
    }

    @Test
    void settingsOfTheServerAreShownAndAcknowledgedOnlyWhenWanted() {
        try (Http2RawClient client = Http2RawClient.to(server.port()).noSettingsAck().noPingAck().open()) {
            client.roundTrip();
            assertThat(client.frames(Http2Frame.SETTINGS, 0)).anyMatch(f -> f.has(Http2Frame.ACK)).anyMatch(f -> !f.has(Http2Frame.ACK));
        }
    }

    @Test
    void aSilentServerFailsTheTestInsteadOfHangingIt() {
        try (Http2RawClient client = Http2RawClient.to(server.port()).timeout(Duration.ofMillis(100)).open()) {
            int stream = client.open(POST);
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> client.response(stream))
                    .withMessageStartingWith("nothing came in for 100 ms");
        }
    }

    @Test
    void aClosedConnectionFailsWhatWaits() {
        try (Http2RawClient client = Http2RawClient.connect(server.port())) {
            client.halfClose();
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> client.await(Http2Frame.DATA, 1))
                    .withMessageContaining("the connection was closed");
        }
    }

    @Test
    void tlsIsSpokenWithAlpn() throws Exception {
        try (TinyServer tls = TinyServer.tls(TestTls.create("localhost"));
                Http2RawClient client = Http2RawClient.to(tls.port()).tls().open()) {
            assertThat(client.applicationProtocol()).isEqualTo("h2");
            assertThat(client.response(client.request(GET)).text()).isEqualTo(TinyServer.GREETING);
            client.abort();
        }
    }

    @Test
    void aClientWithoutAlpnGetsNoProtocol() throws Exception {
        SSLContext context = TestTls.create("client").client();
        try (TinyServer tls = TinyServer.tls(TestTls.create("localhost"));
                Http2RawClient client = Http2RawClient.to(tls.port()).tls(context).noPreface().open()) {
            assertThat(client.applicationProtocol()).isEmpty();
        }
    }
}
