package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.FRAME_SIZE_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;
import static io.penstock.proxy.http2.FrameType.HEADER;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersDecoder;

/**
 * Reads frames and checks their form (RFC 9113 sections 4 and 6); what a frame means is the {@link FrameSink}'s. Works on the buffer that
 * was read: bytes are copied only where a frame is split over two reads. Used on one event loop.
 */
final class FrameReader {

    private final Http2HeadersDecoder decoder;
    private final FrameSink sink;
    private final HeaderBlock block;
    private final SplitFrame split = new SplitFrame();
    /** The peer's first frame was SETTINGS, as it has to be. */
    private boolean settingsSeen;

    private int type;
    private int flags;
    private int streamId;

    FrameReader(Http2HeadersDecoder decoder, FrameSink sink) {
        this.decoder = decoder;
        this.sink = sink;
        block = new HeaderBlock(decoder);
    }

    boolean settingsSeen() {
        return settingsSeen;
    }

    /** Whether a header block has begun and not ended. */
    boolean blockBegun() {
        return block.open() || split.ofHeaders();
    }

    void release() {
        split.release();
        block.release();
    }

    /**
     * Takes one frame off the buffer, or keeps what there is of it.
     *
     * @return false when the buffer is used up and the next frame is not complete
     * @throws Http2Exception the frame's error; it has been taken off
     */
    boolean next(ByteBuf in, ByteBufAllocator allocator) throws Http2Exception {
        if (split.begun()) {
            return nextSplit(in, allocator);
        }
        int readable = in.readableBytes();
        if (readable < HEADER) {
            split.begin(in, allocator);
            return false;
        }
        int length = checkHeader(in);
        if (readable < HEADER + length) {
            split.begin(in, allocator);
            return false;
        }
        frame(in, length, allocator);
        return true;
    }

    private boolean nextSplit(ByteBuf in, ByteBufAllocator allocator) throws Http2Exception {
        if (!split.fillHeader(in)) {
            return false;
        }
        int length = checkHeader(split.bytes());
        if (!split.fillPayload(in, length)) {
            return false;
        }
        ByteBuf whole = split.take();
        try {
            frame(whole, length, allocator);
        } finally {
            whole.release();
        }
        return true;
    }

    /** What can be told from the first nine bytes is told before the payload is waited for. */
    private int checkHeader(ByteBuf in) throws Http2Exception {
        int at = in.readerIndex();
        if (!settingsSeen) {
            if (in.getByte(at + 3) != FrameType.SETTINGS || (in.getByte(at + 4) & FrameType.ACK) != 0) {
                throw connectionError(PROTOCOL_ERROR, "the first frame is not SETTINGS");
            }
        }
        int length = in.getUnsignedMedium(at);
        if (length > FrameType.MAX_PAYLOAD) {
            throw connectionError(FRAME_SIZE_ERROR, "frame length: %d (expected: at most %d)", length, FrameType.MAX_PAYLOAD);
        }
        return length;
    }

    private void frame(ByteBuf in, int length, ByteBufAllocator allocator) throws Http2Exception {
        int at = in.readerIndex();
        int end = at + HEADER + length;
        type = in.getUnsignedByte(at + 3);
        flags = in.getUnsignedByte(at + 4);
        streamId = in.getInt(at + 5) & Integer.MAX_VALUE;
        in.readerIndex(at + HEADER);
        try {
            if (block.open() && type != FrameType.CONTINUATION) {
                throw connectionError(PROTOCOL_ERROR, "frame of type %d inside the header block of stream %d", type, block.streamId());
            }
            payload(in, length, allocator);
        } finally {
            in.readerIndex(end);
        }
    }

    private void payload(ByteBuf in, int length, ByteBufAllocator allocator) throws Http2Exception {
        switch (type) {
            case FrameType.DATA -> data(in, length);
            case FrameType.HEADERS -> headers(in, length, allocator);
            case FrameType.CONTINUATION -> continuation(in, length, allocator);
            case FrameType.WINDOW_UPDATE -> windowUpdate(in, length);
            case FrameType.SETTINGS -> settings(in, length);
            case FrameType.PING -> ping(in, length);
            case FrameType.RST_STREAM -> {
                ofStream();
                size(length == 4, length);
                sink.reset(streamId, in.readUnsignedInt());
            }
            case FrameType.GOAWAY -> {
                ofConnection();
                size(length >= 8, length);
                sink.goAway(in.readInt() & Integer.MAX_VALUE, in.readUnsignedInt());
            }
            case FrameType.PRIORITY -> priority(in, length);
            case FrameType.PUSH_PROMISE -> throw connectionError(PROTOCOL_ERROR, "PUSH_PROMISE, which nobody allowed");
            default -> sink.unknown();
        }
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    private void ofStream() throws Http2Exception {
        if (streamId == 0) {
            throw connectionError(PROTOCOL_ERROR, "frame of type %d on stream 0", type);
        }
    }

    private void ofConnection() throws Http2Exception {
        if (streamId != 0) {
            throw connectionError(PROTOCOL_ERROR, "frame of type %d on stream %d (expected: 0)", type, streamId);
        }
    }

    private void size(boolean right, int length) throws Http2Exception {
        if (!right) {
            throw connectionError(FRAME_SIZE_ERROR, "frame of type %d with %d bytes", type, length);
        }
    }

    private void data(ByteBuf in, int length) throws Http2Exception {
        ofStream();
        int padding = 0;
        if (has(FrameType.PADDED)) {
            if (length == 0) {
                throw streamError(streamId, FRAME_SIZE_ERROR, "padded DATA without a pad length");
            }
            padding = padding(in, length);
        }
        sink.data(streamId, in, length - padding, padding, has(FrameType.END_STREAM));
    }

    /** Bytes of the padding, its length's byte included. */
    private int padding(ByteBuf in, int length) throws Http2Exception {
        int padding = 1 + in.readUnsignedByte();
        if (padding > length) {
            throw connectionError(PROTOCOL_ERROR, "padding: %d (expected: at most %d)", padding - 1, length - 1);
        }
        return padding;
    }

    private void headers(ByteBuf in, int length, ByteBufAllocator allocator) throws Http2Exception {
        ofStream();
        int bytes = length;
        // A block that is not decoded leaves HPACK's table wrong: every error before that is the connection's (section 4.3).
        size(length >= (has(FrameType.PADDED) ? 1 : 0) + (has(FrameType.WITH_PRIORITY) ? 5 : 0), length);
        if (has(FrameType.PADDED)) {
            bytes -= padding(in, length);
        }
        if (has(FrameType.WITH_PRIORITY)) {
            bytes -= 5;
            if (bytes < 0) {
                throw connectionError(PROTOCOL_ERROR, "padding reaches into the priority of stream %d", streamId);
            }
            if ((in.readInt() & Integer.MAX_VALUE) == streamId) {
                throw connectionError(PROTOCOL_ERROR, "stream %d depends on itself", streamId);
            }
            in.skipBytes(1);
        }
        boolean last = has(FrameType.END_STREAM);
        if (has(FrameType.END_HEADERS)) {
            block.checkSize(bytes);
            decodeInPlace(in, bytes, last);
            return;
        }
        block.begin(streamId, last);
        block.add(in, bytes, false, allocator);
    }

    private void decodeInPlace(ByteBuf in, int bytes, boolean last) throws Http2Exception {
        int limit = in.writerIndex();
        in.writerIndex(in.readerIndex() + bytes);
        try {
            decode(in, last);
        } finally {
            in.writerIndex(limit);
        }
    }

    private void continuation(ByteBuf in, int length, ByteBufAllocator allocator) throws Http2Exception {
        if (!block.open() || streamId != block.streamId()) {
            throw connectionError(PROTOCOL_ERROR, "CONTINUATION on stream %d without a header block to continue", streamId);
        }
        block.checkContinuation();
        boolean end = has(FrameType.END_HEADERS);
        block.add(in, length, end, allocator);
        if (!end) {
            return;
        }
        boolean last = block.last();
        ByteBuf whole = block.end();
        try {
            decode(whole, last);
        } finally {
            whole.release();
        }
    }

    private void decode(ByteBuf bytes, boolean last) throws Http2Exception {
        Http2Headers headers;
        try {
            headers = decoder.decodeHeaders(streamId, bytes);
        } catch (Http2Exception.StreamException e) {
            sink.unusableHeaders(streamId, last, e);
            return;
        }
        sink.headers(streamId, headers, last);
    }

    private void priority(ByteBuf in, int length) throws Http2Exception {
        ofStream();
        if (length != 5) {
            throw streamError(streamId, FRAME_SIZE_ERROR, "PRIORITY with %d bytes", length);
        }
        if ((in.readInt() & Integer.MAX_VALUE) == streamId) {
            throw streamError(streamId, PROTOCOL_ERROR, "stream %d depends on itself", streamId);
        }
        sink.priority();
    }

    private void settings(ByteBuf in, int length) throws Http2Exception {
        ofConnection();
        if (has(FrameType.ACK)) {
            size(length == 0, length);
            sink.settingsAck();
            return;
        }
        size(length % 6 == 0, length);
        settingsSeen = true;
        sink.settings(in, length / 6);
    }

    private void ping(ByteBuf in, int length) throws Http2Exception {
        ofConnection();
        size(length == 8, length);
        if (has(FrameType.ACK)) {
            sink.pingAck(in.readLong());
        } else {
            sink.ping(in.readLong());
        }
    }

    private void windowUpdate(ByteBuf in, int length) throws Http2Exception {
        size(length == 4, length);
        sink.windowUpdate(streamId, in.readInt() & Integer.MAX_VALUE);
    }
}
