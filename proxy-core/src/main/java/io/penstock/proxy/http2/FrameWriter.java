package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.streamError;
import static io.penstock.proxy.http2.FrameType.HEADER;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.CharsetUtil;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames one behind the other into an {@link Outbox}. Used on one event loop.
 */
final class FrameWriter {

    /** DATA up to this size is copied in beside its header, which is cheaper than two more entries in the channel's queue. */
    private static final int COPIED = 4_096;
    /** Room asked for before a header block whose size is not known. */
    private static final int USUAL_BLOCK = 128;
    /** What a field counts beside its name and value (RFC 9113 section 6.5.2). */
    private static final int FIELD_OVERHEAD = 32;

    private final Outbox out;
    private final DefaultHttp2HeadersEncoder encoder;
    private int maxFrame = FrameType.MAX_PAYLOAD;
    /** Negative when the peer has named none. */
    private long maxHeaderList = -1;
    /** Where the last frame begins and ends, if it is DATA of {@link #openStream} that can still grow. */
    private int openAt;
    private int openEnd = -1;
    private int openStream;
    /** Of the outbox; -1 for none. */
    private long openIn = -1;

    FrameWriter(Outbox out, DefaultHttp2HeadersEncoder encoder) {
        this.out = out;
        this.encoder = encoder;
    }

    int maxFrame() {
        return maxFrame;
    }

    /** What the peer's SETTINGS change about what is sent. */
    void apply(PeerSettings settings, boolean toServer) throws Http2Exception {
        maxFrame = settings.maxFrame();
        tableSize(settings.smallestHeaderTableSize());
        tableSize(settings.headerTableSize());
        // A server takes a client's for the advice that it is (RFC 9113 section 6.5.2).
        maxHeaderList = toServer ? settings.maxHeaderListSize() : -1;
    }

    private void tableSize(long size) throws Http2Exception {
        if (size != encoder.configuration().maxHeaderTableSize()) {
            encoder.configuration().maxHeaderTableSize(size);
        }
    }

    private static void header(ByteBuf buf, int length, int type, int flags, int stream) {
        buf.writeLong((long) length << 40 | (long) type << 32 | (long) flags << 24 | stream >>> 8);
        buf.writeByte(stream);
    }

    void preface() {
        ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
        out.room(preface.readableBytes()).writeBytes(preface);
        preface.release();
    }

    /** @param settings pairs of id and value */
    void settings(int... settings) {
        ByteBuf buf = out.room(HEADER + settings.length * 3);
        header(buf, settings.length * 3, FrameType.SETTINGS, 0, 0);
        for (int i = 0; i < settings.length; i += 2) {
            buf.writeShort(settings[i]).writeInt(settings[i + 1]);
        }
    }

    void settingsAck() {
        if (out.answer()) {
            header(out.room(HEADER), 0, FrameType.SETTINGS, FrameType.ACK, 0);
        }
    }

    void ping(long data) {
        ByteBuf buf = out.room(HEADER + 8);
        header(buf, 8, FrameType.PING, 0, 0);
        buf.writeLong(data);
    }

    void pingAck(long data) {
        if (out.answer()) {
            ByteBuf buf = out.room(HEADER + 8);
            header(buf, 8, FrameType.PING, FrameType.ACK, 0);
            buf.writeLong(data);
        }
    }

    void reset(int stream, long code) {
        if (out.answer()) {
            ByteBuf buf = out.room(HEADER + 4);
            header(buf, 4, FrameType.RST_STREAM, 0, stream);
            buf.writeInt((int) code);
        }
    }

    void windowUpdate(int stream, int increment) {
        ByteBuf buf = out.room(HEADER + 4);
        header(buf, 4, FrameType.WINDOW_UPDATE, 0, stream);
        buf.writeInt(increment);
    }

    void goAway(int lastStream, long code, @Nullable String why) {
        byte[] debug = why == null ? new byte[0] : why.getBytes(CharsetUtil.UTF_8);
        ByteBuf buf = out.room(HEADER + 8 + debug.length);
        header(buf, 8 + debug.length, FrameType.GOAWAY, 0, 0);
        buf.writeInt(lastStream).writeInt((int) code).writeBytes(debug);
    }

    /** Whether the peer takes so large a header list. Its size is added up only for a peer that has named a limit. */
    boolean fits(Http2Headers headers) {
        if (maxHeaderList < 0) {
            return true;
        }
        long size = 0;
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            size += FIELD_OVERHEAD + field.getKey().length() + field.getValue().length();
        }
        return size <= maxHeaderList;
    }

    /** Encodes a header block behind the others, since HPACK's table follows the order on the wire. */
    void headers(int stream, Http2Headers headers, boolean last) throws Http2Exception {
        if (!fits(headers)) {
            // Before HPACK's table has changed.
            throw streamError(stream, PROTOCOL_ERROR, "header list of stream %d (expected: at most %d bytes)", stream, maxHeaderList);
        }
        ByteBuf buf = out.room(HEADER + USUAL_BLOCK);
        int start = buf.writerIndex();
        int flags = last ? FrameType.END_STREAM : 0;
        header(buf, 0, FrameType.HEADERS, flags | FrameType.END_HEADERS, stream);
        try {
            encoder.encodeHeaders(stream, headers, buf);
        } catch (Http2Exception e) {
            buf.writerIndex(start);
            throw e;
        }
        int length = buf.writerIndex() - start - HEADER;
        if (length <= maxFrame) {
            buf.setMedium(start, length);
            return;
        }
        ByteBuf block = buf.copy(start + HEADER, length);
        buf.writerIndex(start);
        try {
            fragments(stream, block, flags);
        } finally {
            block.release();
        }
    }

    private void fragments(int stream, ByteBuf block, int flags) {
        int type = FrameType.HEADERS;
        int rest = flags;
        while (block.isReadable()) {
            int length = Math.min(maxFrame, block.readableBytes());
            boolean end = length == block.readableBytes();
            ByteBuf buf = out.room(HEADER + length);
            header(buf, length, type, rest | (end ? FrameType.END_HEADERS : 0), stream);
            buf.writeBytes(block, length);
            type = FrameType.CONTINUATION;
            rest = 0;
        }
    }

    /** One DATA frame of at most {@link #maxFrame} bytes; takes the buffer over. */
    void data(int stream, ByteBuf data, boolean last) {
        int length = data.readableBytes();
        if (length > COPIED) {
            header(out.room(HEADER), length, FrameType.DATA, last ? FrameType.END_STREAM : 0, stream);
            out.pass(data);
            return;
        }
        try {
            if (!grow(stream, data, length, last)) {
                ByteBuf buf = out.room(HEADER + length);
                openAt = buf.writerIndex();
                header(buf, length, FrameType.DATA, last ? FrameType.END_STREAM : 0, stream);
                copy(data, buf, length);
                openEnd = buf.writerIndex();
                openIn = out.buffer();
                openStream = stream;
            }
        } finally {
            data.release();
        }
    }

    /** Adds to the frame before where that is of the same stream and still here: a chunk and the body's end are one frame then. */
    private boolean grow(int stream, ByteBuf data, int length, boolean last) {
        int whole = openEnd - openAt - HEADER + length;
        if (openIn != out.buffer() || openStream != stream || whole > maxFrame) {
            return false;
        }
        ByteBuf buf = out.room(length);
        if (openIn != out.buffer() || buf.writerIndex() != openEnd) {
            return false;
        }
        copy(data, buf, length);
        buf.setMedium(openAt, whole);
        if (last) {
            buf.setByte(openAt + 4, FrameType.END_STREAM);
        }
        openEnd = buf.writerIndex();
        return true;
    }

    /** Pulled, not pushed: writeBytes makes two views of memory for a copy from a slice, getBytes none. */
    private static void copy(ByteBuf from, ByteBuf to, int length) {
        from.getBytes(from.readerIndex(), to, length);
    }

    void release() {
        openIn = -1;
        encoder.close();
    }
}
