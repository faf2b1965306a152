package io.penstock.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the proxy holds of a body, and what that costs. */
class RequestBodyTest {

    private final RequestBody body = new RequestBody();
    private final StringBuilder out = new StringBuilder();
    private int parts;

    @AfterEach
    void release() {
        body.release();
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private void drain() {
        body.drainTo(part -> {
            parts++;
            out.append(part.toString(StandardCharsets.US_ASCII));
            part.release();
        });
    }

    @Test
    void whatWasSentGoesOutAgainFromTheFirstByte() {
        body.add(bytes("ab"), false);
        drain();
        body.add(bytes("cd"), true);
        body.rewind();
        drain();
        assertThat(out).asString().isEqualTo("ababcd");
        assertThat(body.replayable()).isTrue();
    }

    @Test
    void smallPartsThatWaitShareABuffer() {
        for (int i = 0; i < 100; i++) {
            body.addCopy(bytes("x"), i == 99);
        }
        drain();
        assertThat(parts).isEqualTo(1);
        assertThat(out).hasSize(100);
        assertThat(body.complete()).isTrue();
    }

    @Test
    void aPartThatWaitsDoesNotKeepTheBufferItCameIn() {
        ByteBuf read = UnpooledByteBufAllocator.DEFAULT.buffer(64 << 10).writeZero(64 << 10);
        body.addCopy(read.readRetainedSlice(10), false);
        assertThat(read.refCnt()).isEqualTo(1);
        read.release();
    }

    @Test
    void aBodyThatTricklesInIsNotKeptForAReplay() {
        for (int i = 0; i < RequestBody.REPLAY_PARTS + 1; i++) {
            body.add(bytes("x"), false);
            drain();
        }
        assertThat(body.replayable()).isFalse();
        body.rewind();
        assertThat(body.hasUnsent()).isFalse();
    }

    @Test
    void aBodyThatHasAllStayedHereCanGoAnywhereHoweverLarge() {
        body.add(Unpooled.buffer(100_000).writeZero(100_000), true);
        assertThat(body.replayable()).isTrue();
        drain();
        assertThat(body.replayable()).isFalse();
    }

    @Test
    void bytesThatGoOutASecondTimeEarnNoCredit() {
        assertThat(body.sent(10)).isEqualTo(10);
        body.rewind();
        assertThat(body.sent(4)).isZero();
        assertThat(body.sent(10)).isEqualTo(4);
    }

    @Test
    void afterTheResponseHasBegunNothingIsKept() {
        ByteBuf part = bytes("ab");
        body.add(part, true);
        drain();
        body.noReplay();
        assertThat(part.refCnt()).isZero();
    }
}
