package io.penstock.proxy.http2;

import static io.penstock.proxy.http2.FrameType.HEADER;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** A frame whose bytes come in more than one read, put together. Used on one event loop. */
final class SplitFrame {

    /** Room for the header and the small frames that are split most often. */
    private static final int ROOM = 64;

    private @Nullable ByteBuf bytes;

    boolean begun() {
        return bytes != null;
    }

    /** Takes what is left of the buffer, which is less than a frame. */
    void begin(ByteBuf in, ByteBufAllocator allocator) {
        if (in.isReadable()) {
            bytes = allocator.buffer(Math.max(ROOM, in.readableBytes())).writeBytes(in);
        }
    }

    ByteBuf bytes() {
        ByteBuf current = bytes;
        if (current == null) {
            throw new IllegalStateException("no frame has begun");
        }
        return current;
    }

    /** True once the header is complete. */
    boolean fillHeader(ByteBuf in) {
        return fill(in, HEADER);
    }

    /** True once the frame is complete. */
    boolean fillPayload(ByteBuf in, int length) {
        return fill(in, HEADER + length);
    }

    private boolean fill(ByteBuf in, int wanted) {
        ByteBuf current = bytes();
        int missing = wanted - current.readableBytes();
        if (missing <= 0) {
            return true;
        }
        int there = Math.min(missing, in.readableBytes());
        if (there > 0) {
            current.ensureWritable(missing);
            current.writeBytes(in, there);
        }
        return there == missing;
    }

    /** Whether its header is complete and says that it carries a header block. */
    boolean ofHeaders() {
        ByteBuf current = bytes;
        if (current == null || current.readableBytes() < HEADER) {
            return false;
        }
        int type = current.getByte(3);
        return type == FrameType.HEADERS || type == FrameType.CONTINUATION;
    }

    /** The complete frame, which the caller releases. */
    ByteBuf take() {
        ByteBuf whole = bytes();
        bytes = null;
        return whole;
    }

    void release() {
        if (bytes != null) {
            bytes.release();
            bytes = null;
        }
    }
}
