package io.penstock.proxy.http2;

import static io.penstock.proxy.http2.FrameType.CONTINUATION;
import static io.penstock.proxy.http2.FrameType.DATA;
import static io.penstock.proxy.http2.FrameType.GOAWAY;
import static io.penstock.proxy.http2.FrameType.HEADERS;
import static io.penstock.proxy.http2.FrameType.PING;
import static io.penstock.proxy.http2.FrameType.RST_STREAM;
import static io.penstock.proxy.http2.FrameType.SETTINGS;
import static io.penstock.proxy.http2.SessionHarness.bytes;
import static io.penstock.proxy.http2.SessionHarness.head;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a session sends, how much of it, and in which order (RFC 9113 section 5.2). */
class SessionSendTest {

    private static final int TABLE_SIZE = 1;
    private static final int INITIAL_WINDOW = 4;
    private static final int MAX_FRAME = 5;

    private SessionHarness server;

    @AfterEach
    void close() {
        server.close();
        assertThat(server.ends.values()).containsOnly(1);
        assertThat(server.session.activeStreams()).isZero();
    }

    private void open(long... settings) {
        server = SessionHarness.server(settings);
        server.feed(WireFrame.get(1), WireFrame.get(3), WireFrame.get(5));
    }

    private void body(int stream, int bytes, boolean last) {
        server.session.writeData(server.stream(stream), bytes(bytes), last);
    }

    private void heads() {
        for (int id = 1; id <= 5; id += 2) {
            server.session.writeHeaders(server.stream(id), head("200"), false);
        }
        server.turn().sent();
    }

    private static int total(List<WireFrame> frames, int stream) {
        return frames.stream().filter(frame -> frame.type() == DATA && frame.stream() == stream).mapToInt(f -> f.payload().length).sum();
    }

    private static List<Integer> types(List<WireFrame> frames) {
        return frames.stream().map(WireFrame::type).toList();
    }

    @Test
    void aTurnOfSmallResponsesIsOneBufferAndTheNextTurnAnother() {
        open();
        for (int id = 1; id <= 5; id += 2) {
            server.session.writeHeaders(server.stream(id), head("200"), false);
            body(id, 500, true);
        }
        assertThat(server.channel.outboundMessages()).as("before the turn has ended").isEmpty();
        server.turn();

        assertThat(server.channel.outboundMessages()).hasSize(1);
        assertThat(types(server.sent())).containsExactly(HEADERS, DATA, HEADERS, DATA, HEADERS, DATA);
        server.turn();
        assertThat(server.channel.outboundMessages()).isEmpty();
    }

    @Test
    void chunksOfOneTurnAndTheEndOfTheBodyAreOneFrame() {
        open();
        heads();
        body(1, 100, false);
        body(1, 100, false);
        body(1, 0, true);
        body(3, 7, false);

        List<WireFrame> frames = server.turn().sent();
        assertThat(frames).hasSize(2);
        assertThat(frames.get(0).payload()).hasSize(200);
        assertThat(frames.get(0).payload()[150]).isEqualTo((byte) 50);
        assertThat(frames.get(0).last()).isTrue();
        assertThat(frames.get(1).stream()).isEqualTo(3);
        assertThat(server.session.streams()).hasSize(2);
    }

    @Test
    void dataIsNotAddedToAFrameOfAnEarlierTurnWhosePooledBufferHasComeBack() {
        open();
        heads();
        server.channel.config().setAllocator(new OneBuffer());
        // As many bytes as a PING has: where the frame ended in the turn before, a PING ends in the next.
        body(1, 8, false);
        assertThat(types(server.turn().sent())).containsExactly(DATA);

        server.session.ping(7);
        body(1, 5, true);

        List<WireFrame> frames = server.turn().sent();
        assertThat(types(frames)).containsExactly(PING, DATA);
        assertThat(frames.get(0).payload()).hasSize(8);
        assertThat(frames.get(1).payload()).hasSize(5);
    }

    @Test
    void theSmallestTableThatOneSettingsFrameGoesThroughIsTold() {
        open();
        server.feed(WireFrame.settings(TABLE_SIZE, 0, TABLE_SIZE, 4_096));
        server.turn().sent();
        server.session.writeHeaders(server.stream(1), head("200"), true);

        // Two size updates, the second to 4 096, and the indexed :status 200.
        assertThat(server.turn().sent().get(0).payload()).containsExactly(0x20, 0x3f, 0xe1, 0x1f, 0x88);
    }

    /** Gives the same buffer each time, as a pool may. */
    private static final class OneBuffer extends AbstractByteBufAllocator {

        private final ByteBuf buffer = Unpooled.buffer();

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return buffer.clear().retain();
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return buffer.clear().retain();
        }

        @Override
        public boolean isDirectBufferPooled() {
            return true;
        }
    }

    @Test
    void largeDataIsPassedAsItIs() {
        open();
        heads();
        ByteBuf large = bytes(16_000);
        server.session.writeData(server.stream(1), large.retain(), true);
        server.turn();

        ByteBuf header = server.channel.readOutbound();
        ByteBuf data = server.channel.readOutbound();
        assertThat(header.readableBytes()).isEqualTo(FrameType.HEADER);
        assertThat(data).isSameAs(large);
        header.release();
        data.release();
        large.release();
    }

    @Test
    void aBodyAboveTheFrameSizeIsSplit() {
        open(INITIAL_WINDOW, 1 << 20, MAX_FRAME, 20_000);
        heads();
        body(1, 50_000, true);

        List<WireFrame> frames = server.turn().sent();
        assertThat(frames).extracting(frame -> frame.payload().length).allMatch(length -> length <= 20_000);
        assertThat(total(frames, 1)).isEqualTo(50_000);
        assertThat(frames.stream().filter(WireFrame::last)).hasSize(1);
        assertThat(frames.get(frames.size() - 1).last()).isTrue();
    }

    @Test
    void aHeaderBlockAboveTheFrameSizeGoesOnInContinuations() {
        open();
        server.session.writeHeaders(server.stream(1), head("200").add("x-large", "~".repeat(40_000)), true);

        List<WireFrame> frames = server.turn().sent();
        assertThat(types(frames).subList(0, 3)).containsExactly(HEADERS, CONTINUATION, CONTINUATION);
        assertThat(frames.get(0).flags()).isEqualTo(FrameType.END_STREAM);
        assertThat(frames.get(frames.size() - 1).flags()).isEqualTo(FrameType.END_HEADERS);
    }

    @Test
    void aStreamWithoutWindowWaitsAndItsTrailersWaitBehindItsData() {
        open(INITIAL_WINDOW, 1_000);
        heads();
        body(1, 1_500, false);
        server.session.writeHeaders(server.stream(1), new DefaultHttp2Headers(false).add("x-sum", "1"), true);
        body(3, 900, true);

        List<WireFrame> frames = server.turn().sent();
        assertThat(total(frames, 1)).isEqualTo(1_000);
        assertThat(total(frames, 3)).isEqualTo(900);
        assertThat(types(frames)).doesNotContain(HEADERS);
        assertThat(server.stream(1).pendingBytes()).isEqualTo(500);
        frames = server.feed(WireFrame.window(1, 499)).sent();
        assertThat(total(frames, 1)).isEqualTo(499);
        assertThat(types(frames)).containsExactly(DATA);

        frames = server.feed(WireFrame.window(1, 1)).sent();
        assertThat(types(frames)).containsExactly(DATA, HEADERS);
        assertThat(frames.get(1).last()).isTrue();
        assertThat(server.ends).containsEntry(1, 1);
    }

    @Test
    void anEndWithoutBytesNeedsNoWindow() {
        open(INITIAL_WINDOW, 0);
        heads();
        body(1, 0, true);
        body(3, 1, false);
        body(3, 0, true);

        List<WireFrame> frames = server.turn().sent();
        assertThat(frames).hasSize(1);
        assertThat(frames.get(0).last()).isTrue();
        frames = server.feed(WireFrame.window(3, 1)).sent();
        assertThat(total(frames, 3)).isEqualTo(1);
        assertThat(frames.get(frames.size() - 1).last()).isTrue();
    }

    @Test
    void aWindowCanTurnNegativeAndHasToBePaidBack() {
        open(INITIAL_WINDOW, 1_000);
        heads();
        body(1, 1_000, false);
        body(1, 300, false);
        assertThat(total(server.turn().sent(), 1)).isEqualTo(1_000);

        assertThat(total(server.feed(WireFrame.settings(INITIAL_WINDOW, 600)).sent(), 1)).isZero();
        assertThat(total(server.feed(WireFrame.window(1, 400)).sent(), 1)).as("window 0").isZero();
        assertThat(total(server.feed(WireFrame.window(1, 100)).sent(), 1)).isEqualTo(100);
        assertThat(total(server.feed(WireFrame.settings(INITIAL_WINDOW, 750)).sent(), 1)).isEqualTo(150);
        server.feed(WireFrame.get(7));
        server.session.writeHeaders(server.stream(7), head("200"), false);
        body(7, 800, true);
        assertThat(total(server.turn().sent(), 7)).as("a new stream begins with the new window").isEqualTo(750);
    }

    @Test
    void theConnectionsWindowIsSharedFairly() {
        open(INITIAL_WINDOW, 1 << 20);
        heads();
        body(1, 65_535, false);
        assertThat(total(server.turn().sent(), 1)).isEqualTo(65_535);
        body(1, 100_000, false);
        body(3, 100_000, false);
        body(5, 10_000, true);

        List<WireFrame> frames = server.feed(WireFrame.window(0, 60_000)).sent();
        assertThat(total(frames, 5)).as("the small one is done").isEqualTo(10_000);
        assertThat(total(frames, 1) + total(frames, 3)).isEqualTo(50_000);
        assertThat(Math.abs(total(frames, 1) - total(frames, 3))).isLessThanOrEqualTo(SendFlow.QUANTUM);
        for (int i = 0; i < 8; i++) {
            frames = server.feed(WireFrame.window(0, 10)).sent();
            assertThat(total(frames, 1) + total(frames, 3)).isEqualTo(10);
        }
    }

    @Test
    void windowsAboveTheLargestAreErrors() {
        open();
        heads();
        List<WireFrame> frames = server.feed(WireFrame.window(1, Integer.MAX_VALUE)).sent();
        assertThat(frames).hasSize(1);
        assertThat(frames.get(0).type()).isEqualTo(RST_STREAM);
        assertThat(frames.get(0).number(0)).isEqualTo(3);

        frames = server.feed(WireFrame.window(0, Integer.MAX_VALUE)).sent();
        assertThat(frames.get(0).type()).isEqualTo(GOAWAY);
        assertThat(frames.get(0).number(4)).isEqualTo(3);
    }

    @Test
    void settingsThatBringAWindowAboveTheLargestEndTheConnection() {
        open();
        server.feed(WireFrame.window(1, 1_000));
        List<WireFrame> frames = server.feed(WireFrame.settings(INITIAL_WINDOW, Integer.MAX_VALUE)).sent();

        assertThat(frames.get(frames.size() - 1).type()).isEqualTo(GOAWAY);
        assertThat(frames.get(frames.size() - 1).number(4)).isEqualTo(3);
    }

    @Test
    void aResetReleasesWhatIsPendingAndLetsTheOthersGoOn() {
        open(INITIAL_WINDOW, 1 << 20);
        heads();
        body(5, 65_535, false);
        server.turn().sent();
        ByteBuf waiting = bytes(40_000);
        server.session.writeData(server.stream(1), waiting, false);
        body(3, 100, true);
        server.session.reset(server.stream(1), Http2Error.CANCEL);

        assertThat(waiting.refCnt()).isZero();
        assertThat(server.ends).containsEntry(1, 1);
        List<WireFrame> frames = server.turn().sent();
        assertThat(types(frames)).containsExactly(RST_STREAM);
        frames = server.feed(WireFrame.window(0, 1_000)).sent();
        assertThat(total(frames, 3)).isEqualTo(100);
        ByteBuf late = bytes(10);
        server.session.writeData(server.stream(1), late, true);
        assertThat(late.refCnt()).isZero();
    }

    @Test
    void aFullChannelHoldsDataBackUntilItIsEmptier() {
        server = new SessionHarness(true, 100, 32 << 10);
        server.feed(WireFrame.PREFACE).feed(WireFrame.settings(INITIAL_WINDOW, 1 << 20)).sent();
        server.feed(WireFrame.get(1), WireFrame.window(0, 1 << 20));
        server.session.writeHeaders(server.stream(1), head("200"), false);
        server.stuck = true;
        for (int i = 0; i < 20; i++) {
            body(1, 10_000, false);
        }
        assertThat(server.turn().stream(1).pendingBytes()).isBetween(150_000, 170_000);
        server.stuck = false;
        server.session.flush();

        assertThat(server.stream(1).pendingBytes()).isZero();
        assertThat(total(server.turn().sent(), 1)).isEqualTo(200_000);
        assertThat(server.written).isEqualTo(200_000);
    }

    @Test
    void answersThatAreNotTakenHaveABound() {
        server = SessionHarness.server();
        server.feed(WireFrame.get(1));
        server.stuck = true;
        for (int i = 0; i < 1_000; i++) {
            server.feed(WireFrame.post(3 + 2 * i));
            server.session.reset(server.stream(3 + 2 * i), Http2Error.CANCEL);
        }
        assertThat(server.failure).isNull();
        server.stuck = false;
        server.session.flush();
        for (int i = 0; i < 1_000; i++) {
            server.feed(WireFrame.post(3_001 + 2 * i));
            server.session.reset(server.stream(3_001 + 2 * i), Http2Error.CANCEL);
        }
        assertThat(server.turn().failure).as("a peer that reads").isNull();

        server.stuck = true;
        for (int i = 0; i < 1_001; i++) {
            server.feed(WireFrame.post(6_001 + 2 * i));
            server.session.reset(server.stream(6_001 + 2 * i), Http2Error.CANCEL);
        }
        assertThat(Abuse.of(server.failure)).isEqualTo(Abuse.CONTROL_QUEUE_FULL);
        server.stuck = false;
    }

    @Test
    void anEarlyAnswerEndsTheUpload() {
        server = SessionHarness.server();
        server.feed(WireFrame.post(1));
        server.session.writeHeaders(server.stream(1), head("413"), true);

        List<WireFrame> frames = server.turn().sent();
        assertThat(types(frames)).containsExactly(HEADERS, RST_STREAM);
        assertThat(frames.get(1).number(0)).isZero();
        assertThat(server.feed(WireFrame.data(1, 100, false), WireFrame.window(1, 1)).sent()).isEmpty();
        assertThat(server.failure).isNull();
    }

    @Test
    void settingsAreAnsweredBeforeTheyHold() {
        server = SessionHarness.server();
        server.feed(WireFrame.get(1));
        List<WireFrame> frames = server.feed(WireFrame.settings(1, 0, 99, 7)).sent();
        assertThat(types(frames)).containsExactly(SETTINGS);
        assertThat(frames.get(0).flags()).isEqualTo(FrameType.ACK);
        server.session.writeHeaders(server.stream(1), head("200"), true);

        assertThat(server.turn().sent().get(0).payload()[0]).as("HPACK's table becomes empty").isEqualTo((byte) 0x20);
    }
}
