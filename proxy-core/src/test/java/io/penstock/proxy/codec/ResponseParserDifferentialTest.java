package io.penstock.proxy.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.proxy.codec.Transcript.End;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads random responses, whole and broken, in random pieces, with the parser and with Netty's decoder, and compares heads, body, trailers,
 * how it ended and whether the connection may be used again. {@code -Dpenstock.fuzz.responses=1000000} reads a million;
 * {@code -Dpenstock.fuzz.seed=N} reads only the one that a failure names.
 */
class ResponseParserDifferentialTest {

    private static final int RESPONSES = 20_000;
    private static final int PROGRESS = 100_000;
    private static final long FIRST_SEED = 20_261_130;

    /** One for all responses, as on an event loop. */
    private final HeadCache cache = new HeadCache();
    private final Map<End, Integer> ends = new EnumMap<>(End.class);
    /** How often a rule was the only reason. */
    private final Map<StricterRule, Integer> stricter = new EnumMap<>(StricterRule.class);

    @Test
    void theParserReadsWhatNettyReadsAndRefusesMoreOnlyByTheListedRules() {
        Long one = Long.getLong("penstock.fuzz.seed");
        if (one != null) {
            compare(one);
            return;
        }
        int responses = Integer.getInteger("penstock.fuzz.responses", RESPONSES);
        for (long seed = FIRST_SEED; seed < FIRST_SEED + responses; seed++) {
            compare(seed);
            if ((seed - FIRST_SEED + 1) % PROGRESS == 0) {
                System.out.println("responses " + (seed - FIRST_SEED + 1));
            }
        }
        if (responses > RESPONSES) {
            System.out.println("responses " + responses + ", as Netty ended them " + ends + ", refused by stricter rules " + stricter);
        }
        // A run that breaks everything, or nothing, compares nothing.
        assertThat(ends.get(End.COMPLETE)).isGreaterThan(responses / 3);
        assertThat(ends.get(End.MALFORMED)).isGreaterThan(responses / 10);
        assertThat(ends.get(End.CUT)).isGreaterThan(responses / 50);
        if (responses >= RESPONSES) {
            // A rule that makes no difference is not one, or the maker does not reach it.
            assertThat(stricter).containsOnlyKeys(StricterRule.values());
        }
    }

    static Stream<Arguments> examples() {
        String ok = "HTTP/1.1 200 OK\r\n";
        String chunked = ok + "transfer-encoding: chunked\r\n\r\n0\r\n";
        String lengths = "content-length: 0\r\ncontent-length: 0\r\n\r\n";
        return Stream.of(Arguments.of(StricterRule.A_STATUS_LINE_IS_THE_GRAMMARS, "HTTP/1.1  200 OK\r\ncontent-length: 0\r\n\r\n"),
                Arguments.of(StricterRule.A_STATUS_LINE_IS_THE_GRAMMARS, "HTTP/1.1 200 O\0K\r\ncontent-length: 0\r\n\r\n"),
                Arguments.of(StricterRule.EMPTY_LINES_ARE_LINES, "\n" + ok + "content-length: 0\r\n\r\n"),
                Arguments.of(StricterRule.NO_LINE_IS_FOLDED, ok + "x: a\r\n b\r\ncontent-length: 0\r\n\r\n"),
                Arguments.of(StricterRule.LENGTHS_IN_HTTP_1_0_AGREE, "HTTP/1.0 200 OK\r\n" + lengths),
                Arguments.of(StricterRule.EVERY_LINE_COUNTS, ok + "x: y\r\n".repeat(99) + lengths),
                Arguments.of(StricterRule.EVERY_LINE_COUNTS, chunked + "trailer: x\r\n".repeat(101) + "\r\n"),
                Arguments.of(StricterRule.FORBIDDEN_TRAILERS_ARE_CHECKED, chunked + "content-length: \0\r\n\r\n"));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void eachListedRuleRefusesWhatNettyTakes(StricterRule rule, String response) {
        byte[] bytes = response.getBytes(StandardCharsets.ISO_8859_1);
        assertThat(NettyReader.read(bytes, false).end).isEqualTo(End.COMPLETE);
        assertThat(read(bytes, new ResponseMaker(1)).end).isEqualTo(End.MALFORMED);
        assertThat(StricterRule.thatApply(bytes)).containsExactly(rule);
    }

    private void compare(long seed) {
        ResponseMaker maker = new ResponseMaker(seed);
        byte[] response = maker.make();
        Transcript theirs = NettyReader.read(response, maker.toHead());
        Transcript ours = read(response, maker);
        ends.merge(theirs.end, 1, Integer::sum);
        if (ours.all().equals(theirs.all())) {
            return;
        }
        if (oneIsEarlier(ours.end, theirs.end, response, maker)) {
            return;
        }
        List<StricterRule> rules = ours.end == End.MALFORMED ? StricterRule.thatApply(response) : List.of();
        if (rules.isEmpty()) {
            throw new AssertionError("-Dpenstock.fuzz.seed=" + seed + "\n-- response" + (maker.toHead() ? " to HEAD\n" : "\n")
                    + new String(response, StandardCharsets.ISO_8859_1) + "\n-- ours\n" + ours + "\n-- theirs\n" + theirs);
        }
        if (rules.size() == 1) {
            stricter.merge(rules.get(0), 1, Integer::sum);
        }
    }

    /** One refuses at the byte that breaks the rules, where the other waits for its line's end: given that, it must refuse as well. */
    private boolean oneIsEarlier(End ours, End theirs, byte[] response, ResponseMaker maker) {
        if (ours == theirs || ours == End.COMPLETE || theirs == End.COMPLETE) {
            return false;
        }
        byte[] more = Arrays.copyOf(response, response.length + 4);
        System.arraycopy(new byte[] {'\r', '\n', '\r', '\n'}, 0, more, response.length, 4);
        return (ours == End.CUT ? read(more, maker) : NettyReader.read(more, maker.toHead())).end == End.MALFORMED;
    }

    private Transcript read(byte[] response, ResponseMaker maker) {
        Transcript told = new Transcript();
        ResponseParser parser = new ResponseParser(cache);
        parser.expect(maker.toHead(), told);
        List<ByteBuf> pieces = new ArrayList<>();
        boolean stray = false;
        int from = 0;
        for (int cut : maker.cuts(response.length)) {
            ByteBuf piece = Unpooled.copiedBuffer(response, from, cut - from);
            pieces.add(piece);
            if (parser.due()) {
                stray |= !parser.read(piece);
            } else {
                stray |= piece.isReadable();
                piece.release();
            }
            from = cut;
        }
        parser.closed();
        for (ByteBuf piece : pieces) {
            // An AssertJ assertion for each would cost more than the reading.
            if (piece.refCnt() != 0 && piece != Unpooled.EMPTY_BUFFER) {
                throw new AssertionError("a piece of " + piece + " was not released");
            }
        }
        if (parser.due() != (told.end == End.CUT)) {
            throw new AssertionError("due: " + parser.due() + " after " + told.end);
        }
        told.reusable = told.end == End.COMPLETE && parser.reusable() && !stray;
        return told;
    }
}
