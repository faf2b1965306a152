package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Collects a header block that comes in more than one frame, within bounds on its bytes and on its small frames (spec/edge section 3, B1).
 * Used on one event loop.
 */
final class HeaderBlock {

    /** HEADERS and CONTINUATION frames under {@link #SMALL} bytes that leave a block open. */
    private static final int MAX_SMALL = 16;
    private static final int SMALL = 8_192;

    private final Http2HeadersDecoder decoder;
    private @Nullable ByteBuf fragments;
    private int streamId;
    private boolean last;
    private int small;

    HeaderBlock(Http2HeadersDecoder decoder) {
        this.decoder = decoder;
    }

    /** Whether CONTINUATION has to follow. */
    boolean open() {
        return streamId != 0;
    }

    int streamId() {
        return streamId;
    }

    /** Whether the block ends the peer's half of its stream. */
    boolean last() {
        return last;
    }

    void begin(int stream, boolean endStream) {
        streamId = stream;
        last = endStream;
        small = 0;
    }

    /** Another CONTINUATION is there. */
    void checkContinuation() throws Http2Exception {
        if (small >= MAX_SMALL) {
            throw connectionError(ENHANCE_YOUR_CALM, "more than %d small frames in one header block", MAX_SMALL);
        }
    }

    /** Takes a fragment off the buffer. */
    void add(ByteBuf in, int bytes, boolean endHeaders, ByteBufAllocator allocator) throws Http2Exception {
        if (!endHeaders && bytes < SMALL) {
            small++;
        }
        ByteBuf all = fragments;
        int before = all == null ? 0 : all.readableBytes();
        checkSize(before + bytes);
        if (all == null) {
            all = allocator.buffer(Math.max(256, bytes));
            fragments = all;
        }
        all.writeBytes(in, bytes);
    }

    void checkSize(int bytes) throws Http2Exception {
        long max = decoder.configuration().maxHeaderListSizeGoAway();
        if (bytes > max) {
            Http2CodecUtil.headerListSizeExceeded(max);
        }
    }

    /** The whole block, which the caller releases; nothing is open any more. */
    ByteBuf end() {
        ByteBuf all = fragments;
        if (all == null) {
            throw new IllegalStateException("no fragments");
        }
        fragments = null;
        streamId = 0;
        return all;
    }

    void release() {
        if (fragments != null) {
            fragments.release();
            fragments = null;
        }
        streamId = 0;
    }
}
