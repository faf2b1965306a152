package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * Follows the frame boundaries of what the frame reader has consumed, for two facts that the reader does not tell: how many entries a
 * SETTINGS frame had, and whether a header block is still open. Used on one event loop.
 */
final class FrameWalker {

    private static final int HEADER = 9;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;
    private static final int ACK = 1;
    private static final int SETTING = 6;

    private final FrameBudget budget;
    private int payload;
    private boolean blockOpen;
    private boolean ofBlock;

    FrameWalker(FrameBudget budget) {
        this.budget = budget;
    }

    /** Whether a header block has begun that has not ended. A slow DATA frame is none: who uploads slowly does nothing wrong. */
    boolean blockBegun() {
        return blockOpen || ofBlock && payload > 0;
    }

    /** Takes the bytes between the two indices of the buffer: whole headers and whole payloads, as the reader consumes them. */
    void consumed(ByteBuf in, int from, int to) throws Http2Exception {
        int at = from;
        while (at < to) {
            if (payload > 0) {
                int step = Math.min(payload, to - at);
                payload -= step;
                at += step;
                continue;
            }
            if (to - at < HEADER) {
                return;
            }
            payload = in.getUnsignedMedium(at);
            header(in.getByte(at + 3), in.getByte(at + 4));
            at += HEADER;
        }
    }

    private void header(int type, int flags) throws Http2Exception {
        ofBlock = type == HEADERS || type == CONTINUATION;
        if (ofBlock) {
            blockOpen = (flags & END_HEADERS) == 0;
        } else if (type == SETTINGS && (flags & ACK) == 0) {
            budget.settingsEntries(payload / SETTING);
        }
    }
}
