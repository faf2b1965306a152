package io.penstock.proxy.http2;

import static io.penstock.proxy.http2.FrameType.DATA;
import static io.penstock.proxy.http2.FrameType.GOAWAY;
import static io.penstock.proxy.http2.FrameType.HEADERS;
import static io.penstock.proxy.http2.FrameType.PADDED;
import static io.penstock.proxy.http2.FrameType.RST_STREAM;
import static io.penstock.proxy.http2.FrameType.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a session makes of what it is sent. */
class SessionReceiveTest {

    private SessionHarness server = SessionHarness.server();

    @AfterEach
    void close() {
        server.close();
        assertThat(server.ends.values()).allMatch(times -> times == 1);
        assertThat(server.session.activeStreams()).isZero();
    }

    private WireFrame only(int type) {
        List<WireFrame> frames = server.turn().sent().stream().filter(frame -> frame.type() == type).toList();
        assertThat(frames).hasSize(1);
        return frames.get(0);
    }

    @Test
    void bodyBytesAreASliceOfWhatWasRead() {
        ByteBuf read = Unpooled.wrappedBuffer(WireFrame.wire(WireFrame.post(1), WireFrame.data(1, 500, false)));
        server.keeping = true;
        server.channel.writeInbound(read);

        ByteBuf body = server.kept.remove();
        assertThat(body.readableBytes()).isEqualTo(500);
        assertThat(body.array()).isSameAs(read.array());
        assertThat(read.refCnt()).isEqualTo(1);
        body.release();
        assertThat(read.refCnt()).isZero();
    }

    @Test
    void aFrameTooLargeIsRefusedBeforeItsPayloadComes() {
        byte[] header = {0, 64, 1, 0, 0, 0, 0, 0, 1};
        server.feed(WireFrame.post(1)).feed(header);

        assertThat(only(GOAWAY).number(4)).isEqualTo((int) Http2Error.FRAME_SIZE_ERROR.code());
    }

    @Test
    void aHeaderBlockIsSeenToBeOpen() {
        byte[] wire = WireFrame.wire(WireFrame.get(1));
        assertThat(server.session.blockBegun()).isFalse();
        server.feed(Arrays.copyOf(wire, 12));
        assertThat(server.session.blockBegun()).isTrue();
        server.feed(Arrays.copyOfRange(wire, 12, wire.length));
        assertThat(server.session.blockBegun()).isFalse();
        server.feed(WireFrame.of(HEADERS, 0, 3, WireFrame.block(":method", "GET")));
        assertThat(server.session.blockBegun()).isTrue();
        server.feed(WireFrame.of(FrameType.CONTINUATION, FrameType.END_HEADERS, 3,
                WireFrame.block(":path", "/3", ":scheme", "http", ":authority", "a")));

        assertThat(server.session.blockBegun()).isFalse();
        assertThat(server.events).containsExactly("head 1 /1 last", "head 3 /3");
        byte[] data = WireFrame.wire(WireFrame.data(3, 100, false));
        server.feed(Arrays.copyOf(data, 50));
        assertThat(server.session.blockBegun()).as("a slow upload is no open block").isFalse();
    }

    @Test
    void heldUpHeadsStopTheReadingUntilTheClientTakesThem() {
        server.close();
        server = new SessionHarness(true, 100, 64 << 10);
        server.feed(WireFrame.PREFACE).feed(WireFrame.settings());
        server.sent();
        server.onHead = stream -> server.session.writeHeaders(stream, SessionHarness.head("204").add("x", "y".repeat(1_000)), true);
        server.stuck = true;
        int id = 1;
        for (; server.channel.config().isAutoRead() && id < 20_001; id += 2) {
            server.feed(WireFrame.get(id));
        }
        assertThat(server.session.activeStreams()).isZero();
        assertThat(server.channel.bytesBeforeWritable()).isBetween(256L << 10, 260L << 10);

        server.stuck = false;
        server.session.flush();
        assertThat(server.channel.config().isAutoRead()).isTrue();
        assertThat(server.sent()).hasSize(id / 2);
    }

    @Test
    void asManyResetStreamsAreRememberedAsThereMayBe() {
        server.close();
        server = new SessionHarness(true, 1_000, 1 << 20);
        server.feed(WireFrame.PREFACE).feed(WireFrame.settings());
        for (int id = 1; id < 2_001; id += 2) {
            server.feed(WireFrame.post(id));
        }
        server.session.streams().forEach(stream -> server.session.reset(stream, Http2Error.NO_ERROR));
        for (int id = 1; id < 2_001; id += 2) {
            server.feed(WireFrame.data(id, 1_000, false));
        }
        assertThat(server.failure).isNull();
        assertThat(server.turn().sent()).filteredOn(frame -> frame.type() == RST_STREAM).hasSize(1_000);
    }

    @Test
    void theConnectionsWindowIsFilledUpWhateverTheStreamsDo() {
        server.consuming = false;
        for (int id = 1; id <= 17; id += 2) {
            server.feed(WireFrame.post(id));
            for (int i = 0; i < 4; i++) {
                server.feed(WireFrame.data(id, 16_000, false));
            }
        }
        WireFrame update = only(WINDOW_UPDATE);
        assertThat(update.stream()).isZero();
        assertThat(update.number(0)).isGreaterThanOrEqualTo(1 << 19);
    }

    @Test
    void aStreamsWindowIsFilledUpWhenHalfOfItIsConsumed() {
        server.consuming = false;
        server.feed(WireFrame.post(1)).feed(WireFrame.data(1, 16_000, false), WireFrame.data(1, 16_000, false),
                WireFrame.data(1, 16_000, false), WireFrame.data(1, 16_000, false));
        server.session.consume(server.stream(1), 32_000);
        assertThat(server.turn().sent()).isEmpty();
        server.session.consume(server.stream(1), 1_000);
        assertThat(only(WINDOW_UPDATE).number(0)).isEqualTo(33_000);
        server.session.consume(server.stream(1), Integer.MAX_VALUE);
        assertThat(server.turn().sent()).as("no more than has come").isEmpty();

        server.session.expandWindow(server.stream(1), 256 << 10);
        assertThat(only(WINDOW_UPDATE).number(0)).isEqualTo((256 << 10) - 65_535 + 31_000);
        server.session.expandWindow(server.stream(1), 100_000);
        assertThat(server.turn().sent()).isEmpty();
    }

    @Test
    void aBodyThatFitsIsGrantedNoMore() {
        server.feed(post(1, 48_000)).feed(WireFrame.data(1, 16_000, false));
        server.session.expandWindow(server.stream(1), 256 << 10);
        server.feed(WireFrame.data(1, 16_000, false), WireFrame.data(1, 15_999, false), WireFrame.data(1, 1, true));
        assertThat(server.turn().sent()).isEmpty();
        assertThat(server.events).contains("data 1 1 last");
    }

    @Test
    void aBodyThatNeedsMoreIsGrantedAllAtOnce() {
        server.feed(post(1, 65_535 - 16_383));
        server.session.expandWindow(server.stream(1), 256 << 10);
        assertThat(only(WINDOW_UPDATE).number(0)).isEqualTo((256 << 10) - 65_535);
    }

    @Test
    void aBodyThatFitsIsGrantedMoreWhenItsPaddingDoesNot() {
        server.feed(post(1, 400));
        byte[] oneByteAndItsPadding = new byte[257];
        oneByteAndItsPadding[0] = (byte) 255;
        for (int i = 0; i < 190; i++) {
            server.feed(WireFrame.of(DATA, PADDED, 1, oneByteAndItsPadding));
            assertThat(server.turn().sent()).isEmpty();
        }
        server.feed(WireFrame.of(DATA, PADDED, 1, oneByteAndItsPadding));
        assertThat(only(WINDOW_UPDATE).number(0)).isGreaterThan(32_768);
    }

    private static WireFrame post(int stream, int length) {
        return WireFrame.headers(stream, false, ":method", "POST", ":scheme", "http", ":path", "/", ":authority", "a",
                "content-length", Integer.toString(length));
    }

    @Test
    void moreThanTheWindowOfAStreamEndsTheStream() {
        server.consuming = false;
        server.feed(WireFrame.post(1), WireFrame.post(3));
        for (int i = 0; i < 5; i++) {
            server.feed(WireFrame.data(1, 15_000, false));
        }
        WireFrame reset = only(RST_STREAM);
        assertThat(reset.stream()).isEqualTo(1);
        assertThat(reset.number(0)).isEqualTo((int) Http2Error.FLOW_CONTROL_ERROR.code());
        assertThat(server.events).contains("error 1 FLOW_CONTROL_ERROR");
        server.feed(WireFrame.data(3, 10, true));
        assertThat(server.events).contains("data 3 10 last");
    }

    @Test
    void bodiesHaveTheLengthThatTheyPromise() {
        for (int id = 1; id <= 7; id += 2) {
            server.feed(WireFrame.headers(id, false, ":method", "POST", ":scheme", "http", ":path", "/", ":authority", "a",
                    "content-length", id == 7 ? "5, 5" : "5"));
        }
        server.feed(WireFrame.data(1, 6, false), WireFrame.data(3, 4, true), WireFrame.data(5, 5, true), WireFrame.data(7, 5, true));

        assertThat(server.events).contains("error 1 PROTOCOL_ERROR", "error 3 PROTOCOL_ERROR", "data 5 5 last", "data 7 5 last")
                .doesNotContain("data 1 6", "data 3 4 last");
    }

    @Test
    void whatFollowsAMalformedHeadIsDropped() {
        server.feed(WireFrame.headers(1, false, ":method", "POST"), WireFrame.data(1, 10, false), WireFrame.headers(1, true, "x", "y"));

        assertThat(only(RST_STREAM).stream()).isEqualTo(1);
        assertThat(server.events).isEmpty();
        assertThat(server.failure).isNull();
    }

    @Test
    void whatFollowsARefusalIsDroppedThoughLaterStreamsWereTaken() {
        server.close();
        server = new SessionHarness(true, 1, 1 << 20);
        server.feed(WireFrame.PREFACE).feed(WireFrame.settings());
        server.feed(WireFrame.post(1), WireFrame.post(3), WireFrame.of(RST_STREAM, 0, 1, WireFrame.numbers(8)), WireFrame.post(5));
        assertThat(only(RST_STREAM).stream()).isEqualTo(3);
        server.feed(WireFrame.data(3, 1_000, false), WireFrame.headers(3, true, "x", "y"), WireFrame.window(3, 1));

        assertThat(server.turn().sent()).isEmpty();
        assertThat(server.failure).isNull();
        assertThat(server.events).containsExactly("head 1 /1", "reset 1 8", "head 5 /5");
    }

    @Test
    void afterTheLastGoAwayStreamsAreRefusedAndThoseThatAreThereGoOn() {
        server.feed(WireFrame.post(1));
        server.session.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR);
        server.feed(WireFrame.post(3));
        server.session.goAway(server.session.lastPeerStream(), Http2Error.NO_ERROR);
        server.session.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR);
        List<WireFrame> frames = server.turn().sent();
        assertThat(frames).extracting(frame -> frame.number(0)).containsExactly(Integer.MAX_VALUE, 3);

        for (int id = 5; id < 205; id += 2) {
            server.feed(WireFrame.post(id), WireFrame.data(id, 1_000, true));
        }
        assertThat(server.sent()).hasSize(100).allMatch(frame -> frame.type() == RST_STREAM
                && frame.number(0) == Http2Error.REFUSED_STREAM.code());
        server.feed(WireFrame.data(1, 1, true));
        assertThat(server.events).containsExactly("head 1 /1", "head 3 /3", "data 1 1 last");
        assertThat(server.failure).isNull();
    }

    @Test
    void anOwnerThatThrowsKeepsNoOtherFromHearingTheEnd() {
        server.feed(WireFrame.post(1), WireFrame.post(3), WireFrame.post(5));
        server.onClosed = stream -> {
            if (stream.id() != 5) {
                throw new IllegalStateException("as asked");
            }
        };
        assertThatThrownBy(() -> server.close()).isInstanceOf(IllegalStateException.class);

        assertThat(server.ends).containsOnlyKeys(1, 3, 5);
    }
}
