package io.penstock.proxy.http2;

import static io.penstock.proxy.http2.FrameType.DATA;
import static io.penstock.proxy.http2.FrameType.GOAWAY;
import static io.penstock.proxy.http2.FrameType.HEADERS;
import static io.penstock.proxy.http2.FrameType.PING;
import static io.penstock.proxy.http2.FrameType.RST_STREAM;
import static io.penstock.proxy.http2.FrameType.SETTINGS;
import static io.penstock.proxy.http2.SessionHarness.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The end that connects. */
class SessionClientTest {

    private static final int MAX_STREAMS = 3;
    private static final int MAX_HEADER_LIST = 6;

    private SessionHarness client = SessionHarness.client();

    @AfterEach
    void close() {
        client.close();
        assertThat(client.ends.values()).allMatch(times -> times == 1);
        assertThat(client.session.activeStreams()).isZero();
    }

    private static Http2Headers request(String path) {
        return new DefaultHttp2Headers(false).method("POST").scheme("http").authority("a").path(path);
    }

    private SessionStream post(String path) {
        SessionStream stream = client.session.open(path);
        client.session.writeHeaders(stream, request(path), false);
        return stream;
    }

    private void assertEnded(Http2Error error) {
        List<WireFrame> frames = client.sent();
        WireFrame last = frames.get(frames.size() - 1);
        assertThat(last.type()).isEqualTo(GOAWAY);
        assertThat(last.number(4)).isEqualTo((int) error.code());
        assertThat(client.channel.isOpen()).isFalse();
    }

    @Test
    void thePrefaceComesFirstAndForbidsPush() {
        client.close();
        client = new SessionHarness(false, 0, 1 << 20);

        ByteBuf wire = client.wire();
        byte[] preface = new byte[WireFrame.PREFACE.length];
        wire.readBytes(preface);
        assertThat(preface).isEqualTo(WireFrame.PREFACE);
        List<WireFrame> frames = WireFrame.parse(wire);
        assertThat(frames.get(0).type()).isEqualTo(SETTINGS);
        assertThat(frames.get(0).payload()).startsWith(0, 2, 0, 0, 0, 0);
        assertThat(client.session.peerMaxStreams()).isEqualTo(100);
        assertThat(client.session.prefaceReceived()).isFalse();
    }

    @Test
    void aRequestGoesOutAndItsResponseComesBack() {
        SessionStream stream = post("/a");
        client.session.writeData(stream, bytes(10), true);
        List<WireFrame> frames = client.turn().sent();
        assertThat(frames).extracting(WireFrame::type).containsExactly(HEADERS, DATA);
        assertThat(stream.localEnded()).isTrue();

        client.feed(WireFrame.headers(1, false, ":status", "103"), WireFrame.headers(1, false, ":status", "200", "content-length", "7"),
                WireFrame.data(1, 7, false), WireFrame.headers(1, true, "x-sum", "1"));
        assertThat(client.events).containsExactly("head 1 103", "head 1 200", "data 1 7", "trailers 1 1");
        assertThat(client.ends).containsEntry(1, 1);
        assertThat(stream.attachment()).isEqualTo("/a");
        assertThat(client.turn().sent()).isEmpty();
    }

    @Test
    void aResponseBeforeTheRequestHasEndedLeavesItsHalfOpen() {
        SessionStream stream = post("/a");
        client.feed(WireFrame.headers(1, true, ":status", "200"));
        assertThat(client.ends).isEmpty();
        assertThat(stream.remoteEnded()).isTrue();
        client.session.writeData(stream, bytes(3), true);

        assertThat(client.turn().sent()).last().matches(WireFrame::last);
        assertThat(client.ends).containsEntry(1, 1);
    }

    @Test
    void noMoreStreamsAreOpenedThanThePeerAllows() {
        client.feed(WireFrame.settings(MAX_STREAMS, 2));
        post("/a");
        SessionStream second = post("/b");

        assertThat(client.session.canOpen()).isFalse();
        assertThatThrownBy(() -> client.session.open(null)).isInstanceOf(IllegalStateException.class);
        client.session.reset(second, Http2Error.CANCEL);
        assertThat(client.session.open(null).id()).isEqualTo(5);
    }

    @Test
    void aStreamThatHasSentNothingIsGivenUpInSilence() {
        client.turn().sent();
        SessionStream stream = client.session.open(null);
        client.session.reset(stream, Http2Error.CANCEL);

        assertThat(client.turn().sent()).isEmpty();
        assertThat(client.ends).containsEntry(1, 1);
    }

    @Test
    void framesOnAStreamThatHasSentNothingEndTheConnection() {
        client.session.open(null);
        client.feed(WireFrame.headers(1, true, ":status", "200"));

        assertEnded(Http2Error.PROTOCOL_ERROR);
    }

    @Test
    void goAwayGivesBackTheStreamsThatItLeavesOut() {
        post("/a");
        post("/b");
        client.feed(WireFrame.of(GOAWAY, 0, 0, WireFrame.numbers(1, 0)));

        assertThat(client.events).containsExactly("reset 3 7", "goaway 1");
        assertThat(client.ends).containsOnlyKeys(3);
        assertThat(client.session.canOpen()).isFalse();
        assertThat(client.session.goAwayReceived()).isTrue();
        client.feed(WireFrame.headers(1, true, ":status", "200"));
        assertThat(client.events).contains("head 1 200 last");
    }

    @Test
    void whatRacesOurResetIsNoError() {
        SessionStream stream = post("/a");
        client.session.reset(stream, Http2Error.CANCEL);
        assertThat(client.turn().sent()).extracting(WireFrame::type).containsExactly(HEADERS, RST_STREAM);
        client.feed(WireFrame.headers(1, false, ":status", "200"), WireFrame.data(1, 10_000, false), WireFrame.window(1, 5));

        assertThat(client.failure).isNull();
        assertThat(client.events).isEmpty();
    }

    @Test
    void howManyResetsTheServerHasNotReadYetDoesNotMatter() {
        SessionStream other = post("/other");
        for (int i = 0; i < 500; i++) {
            client.session.reset(post("/a"), Http2Error.CANCEL);
        }
        for (int id = 3; id < 1_003; id += 2) {
            client.feed(WireFrame.headers(id, false, ":status", "200"), WireFrame.data(id, 10, true), WireFrame.window(id, 5));
        }
        client.feed(WireFrame.headers(other.id(), true, ":status", "200"));

        assertThat(client.failure).isNull();
        assertThat(client.events).containsExactly("head 1 200 last");
        assertThat(client.turn().sent()).extracting(WireFrame::type).doesNotContain(GOAWAY);
    }

    @Test
    void nobodyMayPush() {
        post("/a");
        client.feed(WireFrame.of(FrameType.PUSH_PROMISE, FrameType.END_HEADERS, 1, WireFrame.numbers(2)));

        assertEnded(Http2Error.PROTOCOL_ERROR);
        assertThat(client.ends).containsEntry(1, 1);
    }

    @Test
    void streamsOfTheServerEndTheConnection() {
        post("/a");
        client.feed(WireFrame.headers(2, true, ":status", "200"));

        assertEnded(Http2Error.PROTOCOL_ERROR);
    }

    @Test
    void anHttp1AnswerEndsTheConnection() {
        client.close();
        client = new SessionHarness(false, 0, 1 << 20);
        client.feed("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

        assertThat(client.failure).hasMessageContaining("SETTINGS");
        assertThat(client.channel.isOpen()).isFalse();
    }

    @Test
    void malformedResponsesAreErrorsOfTheirStream() {
        post("/a");
        post("/b");
        post("/c");
        client.feed(WireFrame.headers(1, false, "x-a", "b"), WireFrame.data(3, 1, false), WireFrame.headers(5, true, ":status", "103"));

        assertThat(client.events).containsExactly("error 1 PROTOCOL_ERROR", "error 3 PROTOCOL_ERROR", "error 5 PROTOCOL_ERROR");
        assertThat(client.failure).isNull();
    }

    @Test
    void aHeadAboveThePeersLimitFailsItsStream() {
        client.feed(WireFrame.settings(MAX_HEADER_LIST, 200));
        post("/" + "a".repeat(300));
        post("/b");

        assertThat(client.events).containsExactly("error 1 INTERNAL_ERROR");
        assertThat(client.ends).containsOnlyKeys(1);
        assertThat(client.turn().sent()).extracting(WireFrame::stream).contains(3).doesNotContain(1);
    }

    @Test
    void eventStreamsOfTinyFramesAreNoFlood() {
        post("/a");
        client.feed(WireFrame.headers(1, false, ":status", "200"));
        WireFrame[] events = new WireFrame[30];
        Arrays.fill(events, WireFrame.data(1, 1, false));
        for (int i = 0; i < 1_000; i++) {
            client.feed(events);
        }
        assertThat(client.failure).isNull();
        assertThat(client.events).hasSize(30_001);
    }

    @Test
    void aPingIsAnswered() {
        client.turn().sent();
        client.session.ping(77);
        WireFrame ping = client.turn().sent().get(0);
        assertThat(ping.type()).isEqualTo(PING);
        client.feed(WireFrame.of(PING, FrameType.ACK, 0, ping.payload()));

        assertThat(client.events).containsExactly("pong 77");
    }
}
