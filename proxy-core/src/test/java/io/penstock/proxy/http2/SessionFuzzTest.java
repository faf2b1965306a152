package io.penstock.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.LeakPresenceDetector;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Frame sequences in order and out of it, cut anywhere, against Netty's own HTTP/2 as the reference: what both let through is the same.
 * Where they differ on purpose is in {@link #STRICTER} and in the test.
 */
class SessionFuzzTest {

    private static final int SEQUENCES = 3_000;
    /** HEADERS on a closed stream; floods, and resets that the session counts; a WINDOW_UPDATE of 0 on a stream that is idle. */
    private static final Set<Http2Error> STRICTER =
            Set.of(Http2Error.STREAM_CLOSED, Http2Error.ENHANCE_YOUR_CALM, Http2Error.PROTOCOL_ERROR);

    private int alive;
    private int ended;
    private int sameEnd;

    @AfterAll
    static void noBufferIsLeft() {
        LeakPresenceDetector.check();
    }

    @Test
    void whatNettyLetsThroughTheSessionDoesAndNothingElse() {
        for (long seed = 1; seed <= SEQUENCES; seed++) {
            run(seed);
        }
        assertThat(alive).as("connections that live on").isGreaterThan(SEQUENCES / 3);
        assertThat(ended).as("connections that end").isGreaterThan(SEQUENCES / 5);
        assertThat(sameEnd).as("with the same error").isGreaterThan(ended * 8 / 10);
    }

    private void run(long seed) {
        byte[] wire = new FrameMaker(seed).wire();
        NettyReference netty = new NettyReference();
        SessionHarness session = new SessionHarness(true);
        try {
            netty.feed(wire);
            feedInPieces(session, wire, new Random(seed));
            compare("seed " + seed, session, netty);
        } finally {
            netty.close();
            session.close();
        }
        assertThat(session.ends.keySet()).as("seed %d", seed).isEqualTo(session.streams.keySet());
        assertThat(session.ends.values()).as("seed %d", seed).allMatch(times -> times == 1);
        assertThat(session.session.activeStreams()).isZero();
    }

    private static void feedInPieces(SessionHarness session, byte[] wire, Random random) {
        int most = random.nextBoolean() ? 12 : 1_000;
        for (int at = 0; at < wire.length && session.channel.isOpen();) {
            int to = Math.min(wire.length, at + 1 + random.nextInt(most));
            session.feed(Arrays.copyOfRange(wire, at, to));
            at = to;
        }
    }

    private void compare(String seed, SessionHarness session, NettyReference netty) {
        List<String> heard = session.events.stream().filter(event -> !event.startsWith("error")).collect(Collectors.toList());
        heard.removeIf(event -> event.startsWith("goaway") || event.startsWith("pong"));
        if (session.failure == null) {
            alive++;
            if (netty.failure == null) {
                assertThat(heard).as(seed).isEqualTo(netty.events);
            } else {
                // Netty does not remember a stream whose first head was malformed, and takes what follows on it for a stream of its own.
                assertThat(session.sent()).as(seed + " " + netty.failure).anyMatch(frame -> frame.type() == FrameType.RST_STREAM);
                assertBegins(seed, heard, netty.events);
            }
            return;
        }
        ended++;
        assertThat(session.failure).as(seed).isInstanceOf(Http2Exception.class);
        Http2Error error = ((Http2Exception) session.failure).error();
        if (error == netty.failure && heard.equals(netty.events)) {
            sameEnd++;
            return;
        }
        if (netty.failure == null) {
            assertThat(STRICTER).as(seed + " " + session.failure).contains(error);
            assertBegins(seed, netty.events, heard);
        } else {
            // One of them was over before the other.
            boolean first = heard.size() <= netty.events.size();
            assertBegins(seed, first ? netty.events : heard, first ? heard : netty.events);
        }
    }

    private static void assertBegins(String seed, List<String> all, List<String> beginning) {
        assertThat(all.subList(0, Math.min(all.size(), beginning.size()))).as(seed).isEqualTo(beginning);
    }
}
