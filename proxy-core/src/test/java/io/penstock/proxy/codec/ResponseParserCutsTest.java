package io.penstock.proxy.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.codec.Transcript.End;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Feeds responses cut at every byte, and short ones at every two bytes: the outcome is the same whatever the cuts. Closes the input at
 * every byte, and stops the parser from inside every call.
 */
class ResponseParserCutsTest {

    /** Up to this size every pair of cuts is tried. */
    private static final int SHORT_BYTES = 160;
    private static final String NEXT = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nnext\r\n0\r\n\r\n";
    private static final String NEXT_READ = "COMPLETE reusable=true\n:status=200|\nbody next";

    private final HeadCache cache = new HeadCache();
    private final List<ByteBuf> pieces = new ArrayList<>();

    static Stream<Arguments> responses() {
        String ok = "HTTP/1.1 200 OK\r\n";
        String chunked = ok + "transfer-encoding: chunked\r\n\r\n";
        String large = "z".repeat(4_100);
        return Stream.of(
                of(ok + "Server: a\r\ncontent-length: 5\r\n\r\nhello",
                        "COMPLETE reusable=true\n:status=200|content-length=5|server=a|\nbody hello"),
                of("\r\n" + ok + "content-length: 0\r\nconnection: close\r\n\r\n",
                        "COMPLETE reusable=false\n:status=200|content-length=0|\nbody "),
                of(chunked + "5\r\nhello\r\n1;a=\"q\\\";\r\"\r\nx\r\n0\r\n\r\n", "MALFORMED reusable=false\n:status=200|\nbody hello"),
                of(chunked + "005\r\nhello\r\n1;a=\"q\\\"; x\" ;b\r\n!\r\n00;c\r\n\r\n",
                        "COMPLETE reusable=true\n:status=200|\nbody hello!"),
                of(chunked + "2\r\nab\r\n0\r\nX-T: 1\r\nTrailer: x\r\nx-u: 2\r\n\r\n",
                        "COMPLETE reusable=true\n:status=200|\ntrailers x-t=1|x-u=2|\nbody ab"),
                of(chunked + "1\r\n.\r\n1004\r\n" + large + "\r\n1\r\n.\r\n0\r\n\r\n",
                        "COMPLETE reusable=true\n:status=200|\nbody ." + large + "."),
                of("HTTP/1.1 103 Early\r\nlink: a\r\n\r\nHTTP/1.1 100\r\n\r\n" + ok + "content-length: 2\r\n\r\nok",
                        "COMPLETE reusable=true\n1xx :status=103|link=a|\n1xx :status=100|\n:status=200|content-length=2|\nbody ok"),
                of("HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\n", "COMPLETE reusable=true\n:status=204|\nbody "),
                of("HTTP/1.1 304 \r\ncontent-length: 3\r\netag: \"x\"\r\n\r\n",
                        "COMPLETE reusable=true\n:status=304|content-length=3|etag=\"x\"|\nbody "),
                of(ok + "x: " + large + "\r\ncontent-length: 1\r\n\r\n.",
                        "COMPLETE reusable=true\n:status=200|content-length=1|x=" + large + "|\nbody ."),
                of("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell", "CUT reusable=false\n:status=200|content-length=5|\nbody hell"),
                of(ok + "x: a\r\n b\r\n\r\n", "MALFORMED reusable=false\n\nbody "),
                of(ok + "x: a\rb\r\n\r\n", "MALFORMED reusable=false\n\nbody "),
                of(ok + "x : a\r\n\r\n", "MALFORMED reusable=false\n\nbody "),
                of(ok + "content-length: 5\r\ncontent-length: 6\r\n\r\nhello!", "MALFORMED reusable=false\n\nbody "),
                of(ok + "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", "MALFORMED reusable=false\n\nbody "),
                of("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 101 Switching\r\n\r\n", "MALFORMED reusable=false\n1xx :status=103|\nbody "),
                of("HTTP/1.1  200 OK\r\n\r\n", "MALFORMED reusable=false\n\nbody "),
                of(chunked + "2\r\nab!\r\n0\r\n\r\n", "MALFORMED reusable=false\n:status=200|\nbody ab"),
                of(chunked + "2\r\nab\r\n0\r\nx\r\n\r\n", "MALFORMED reusable=false\n:status=200|\nbody ab"));
    }

    private static Arguments of(String response, String outcome) {
        return Arguments.of(response, outcome);
    }

    @AfterEach
    void noBufferLeaks() {
        LeakPresenceDetector.check();
    }

    @ParameterizedTest
    @MethodSource("responses")
    void theOutcomeIsTheSameWhereverReadsCut(String response, String outcome) {
        byte[] bytes = response.getBytes(StandardCharsets.ISO_8859_1);
        for (int first = 0; first <= bytes.length; first++) {
            same(outcome, bytes, first);
            for (int second = first; bytes.length <= SHORT_BYTES && second <= bytes.length; second++) {
                same(outcome, bytes, first, second);
            }
        }
        int[] everywhere = new int[bytes.length];
        for (int i = 0; i < everywhere.length; i++) {
            everywhere[i] = i;
        }
        same(outcome, bytes, everywhere);
    }

    private void same(String outcome, byte[] response, int... cuts) {
        Transcript told = new Transcript();
        ResponseParser parser = new ResponseParser(cache);
        parser.expect(false, told);
        boolean stray = feed(parser, response, cuts);
        parser.closed();
        finish(parser, told, stray);
        if (!told.all().equals(outcome)) {
            assertThat(told.all()).as("cut at %s", cuts).isEqualTo(outcome);
        }
    }

    private void finish(ResponseParser parser, Transcript told, boolean stray) {
        told.reusable = told.end == End.COMPLETE && parser.reusable() && !stray;
        assertReleased();
        if (parser.due() != (told.end == End.CUT)) {
            throw new AssertionError("due: " + parser.due() + " after " + told.end);
        }
    }

    /** Every piece stands amid other bytes of its buffer, as what a socket read may; whether some belong to no response. */
    private boolean feed(ResponseParser parser, byte[] response, int... cuts) {
        boolean stray = false;
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i < cuts.length ? cuts[i] : response.length;
            ByteBuf piece = (i & 1) == 0 ? Unpooled.buffer(to - from + 8) : Unpooled.directBuffer(to - from + 8);
            pieces.add(piece.writeMedium(0x0a0d0a).skipBytes(3).writeBytes(response, from, to - from));
            stray |= !parser.read(piece);
            from = to;
        }
        return stray;
    }

    private void assertReleased() {
        for (ByteBuf piece : pieces) {
            if (piece.refCnt() != 0) {
                throw new AssertionError(piece + " was not released");
            }
        }
        pieces.clear();
    }

    @ParameterizedTest
    @MethodSource("responses")
    void noPrefixOfAFramedResponseIsOne(String response, String outcome) {
        byte[] bytes = response.getBytes(StandardCharsets.ISO_8859_1);
        for (int length = 0; length < bytes.length; length += bytes.length > 1_000 ? 3 : 1) {
            Transcript told = new Transcript();
            ResponseParser parser = new ResponseParser(cache);
            parser.expect(false, told);
            byte[] prefix = response.substring(0, length).getBytes(StandardCharsets.ISO_8859_1);
            feed(parser, prefix, length / 2);
            parser.closed();
            finish(parser, told, false);
            boolean maybe = told.end == End.CUT || told.end == End.MALFORMED && outcome.startsWith("MALFORMED");
            assertThat(maybe).as("%s after %s bytes", told.end, length).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"content-length: 5\r\n\r\n", "transfer-encoding: chunked\r\n\r\n", "x: y\r\n\r\n"})
    void aResponseToHeadEndsWithItsHeadWhereverReadsCut(String fields) {
        byte[] bytes = ("HTTP/1.1 200 OK\r\n" + fields).getBytes(StandardCharsets.ISO_8859_1);
        for (int cut = 0; cut <= bytes.length; cut++) {
            Transcript told = new Transcript();
            ResponseParser parser = new ResponseParser(cache);
            parser.expect(true, told);
            finish(parser, told, feed(parser, bytes, cut));
            assertThat(told.end).as("cut at %s", cut).isEqualTo(End.COMPLETE);
            assertThat(told.reusable).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("openBodies")
    void aBodyWithoutFramingEndsWithItsConnectionAtAnyByte(String head) {
        byte[] whole = (head + "hello\r\n\r\n0\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        for (int length = 0; length <= whole.length; length++) {
            for (int cut = 0; cut <= length; cut++) {
                Transcript told = new Transcript();
                ResponseParser parser = new ResponseParser(cache);
                parser.expect(false, told);
                String prefix = new String(whole, 0, length, StandardCharsets.ISO_8859_1);
                feed(parser, prefix.getBytes(StandardCharsets.ISO_8859_1), cut);
                parser.closed();
                finish(parser, told, false);
                assertThat(told.end).isEqualTo(length < head.length() ? End.CUT : End.COMPLETE);
                assertThat(told.bodyText()).isEqualTo(length < head.length() ? "" : prefix.substring(head.length()));
                assertThat(told.reusable).isFalse();
            }
        }
    }

    static Stream<String> openBodies() {
        return Stream.of("HTTP/1.1 200 OK\r\nx: y\r\n\r\n", "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource("responses")
    void aSinkThatStopsInAnyCallHearsNoMoreAndLeavesACleanParser(String response, String outcome) {
        byte[] bytes = response.getBytes(StandardCharsets.ISO_8859_1);
        for (int cut = 0; cut <= Math.min(bytes.length, SHORT_BYTES); cut++) {
            int calls = 1;
            while (stopped(bytes, cut, calls)) {
                calls++;
            }
            assertThat(calls).as("calls of %s", response).isGreaterThan(outcome.startsWith("CUT") || outcome.contains(":status") ? 1 : 0);
        }
    }

    /** Whether there was a call of that number. */
    private boolean stopped(byte[] response, int cut, int atCall) {
        ResponseParser parser = new ResponseParser(cache);
        Stopper stopper = new Stopper(parser, atCall);
        parser.expect(false, stopper);
        feed(parser, response, cut);
        parser.closed();
        assertReleased();
        if (stopper.calls < atCall) {
            return false;
        }
        assertThat(parser.due()).isFalse();
        ByteBuf late = Unpooled.copiedBuffer("x", StandardCharsets.ISO_8859_1);
        assertThat(parser.read(late)).as("bytes after the stop are nobody's").isFalse();
        assertThat(late.refCnt()).isZero();
        Transcript next = new Transcript();
        parser.expect(false, next);
        boolean stray = feed(parser, NEXT.getBytes(StandardCharsets.ISO_8859_1), cut % NEXT.length());
        finish(parser, next, stray);
        if (!next.all().equals(NEXT_READ)) {
            assertThat(next.all()).as("after a stop in call %s, cut at %s", atCall, cut).isEqualTo(NEXT_READ);
        }
        return true;
    }

    /** Stops its parser from inside one of its calls. */
    private static final class Stopper implements ResponseSink {

        private final ResponseParser parser;
        private final int last;
        private int calls;

        Stopper(ResponseParser parser, int last) {
            this.parser = parser;
            this.last = last;
        }

        private void call() {
            if (++calls > last) {
                throw new AssertionError("told something after the stop");
            }
            if (calls == last) {
                parser.stop();
            }
        }

        @Override
        public void onInformational(Http2Headers head) {
            call();
        }

        @Override
        public void onHead(Http2Headers head, boolean end) {
            call();
        }

        @Override
        public void onData(ByteBuf data, boolean end) {
            data.release();
            call();
        }

        @Override
        public void onTrailers(Http2Headers trailers) {
            call();
        }

        @Override
        public void onMalformed(String why) {
            call();
        }
    }
}
