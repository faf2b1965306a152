package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.List;

/**
 * The half of HTTP/2 that our client and our backend share: walks frames, answers SETTINGS and PING, keeps the connection's windows. It
 * trusts its peer (a proxy under test) and fails the connection on anything that it does not know. Runs on its channel's event loop.
 */
abstract class Http2Peer extends ByteToMessageDecoder {

    /** One over the default for header lists; what is measured sends a few hundred bytes. */
    private static final int MAX_HEADER_LIST = 65_536;
    private static final int TOP_UP = Frames.OUR_WINDOW / 2;

    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, MAX_HEADER_LIST);
    private int received;
    private long connectionWindow = Frames.DEFAULT_WINDOW;
    private int initialWindow = Frames.DEFAULT_WINDOW;

    /** Bytes that may still be sent on the connection. */
    final long connectionWindow() {
        return connectionWindow;
    }

    final void spendConnectionWindow(int bytes) {
        connectionWindow -= bytes;
    }

    /** The window that a new stream of ours starts with. */
    final int initialWindow() {
        return initialWindow;
    }

    abstract void headers(ChannelHandlerContext context, int stream, Http2Headers headers, boolean end);

    /** {@code data} is lent for the call. */
    abstract void data(ChannelHandlerContext context, int stream, ByteBuf data, boolean end);

    abstract void reset(ChannelHandlerContext context, int stream, int code);

    abstract void goAway(ChannelHandlerContext context, int lastStream, int code);

    /** The peer's SETTINGS_MAX_CONCURRENT_STREAMS. */
    abstract void maxStreams(ChannelHandlerContext context, long limit);

    /** Changes one stream's send window, or with stream 0 all of them. */
    abstract void addWindow(ChannelHandlerContext context, int stream, int delta);

    /** Some window has grown: what was held back may go now. */
    abstract void windowsGrew(ChannelHandlerContext context);

    @Override
    protected final void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Http2Exception {
        while (in.readableBytes() >= Frames.HEAD_BYTES) {
            int start = in.readerIndex();
            int length = in.getUnsignedMedium(start);
            if (in.readableBytes() < Frames.HEAD_BYTES + length) {
                return;
            }
            int type = in.getUnsignedByte(start + 3);
            int flags = in.getUnsignedByte(start + 4);
            int stream = in.getInt(start + 5) & Integer.MAX_VALUE;
            in.skipBytes(Frames.HEAD_BYTES);
            int end = in.readerIndex() + length;
            frame(context, type, flags, stream, in, length);
            in.readerIndex(end);
        }
    }

    private void frame(ChannelHandlerContext context, int type, int flags, int stream, ByteBuf in, int length) throws Http2Exception {
        switch (type) {
            case Frames.DATA -> dataFrame(context, flags, stream, in, length);
            case Frames.HEADERS -> headersFrame(context, flags, stream, in, length);
            case Frames.RST_STREAM -> reset(context, stream, in.readInt());
            case Frames.SETTINGS -> settingsFrame(context, flags, in, length);
            case Frames.PING -> ping(context, flags, in);
            case Frames.GOAWAY -> goAway(context, in.readInt() & Integer.MAX_VALUE, in.readInt());
            case Frames.WINDOW_UPDATE -> windowFrame(context, stream, in.readInt() & Integer.MAX_VALUE);
            case Frames.CONTINUATION -> throw new IllegalStateException("CONTINUATION: a header list over 16 KiB (expected: a small one)");
            default -> {
                // PRIORITY, PUSH_PROMISE (switched off) and unknown types carry nothing that a measurement needs.
            }
        }
    }

    private void dataFrame(ChannelHandlerContext context, int flags, int stream, ByteBuf in, int length) {
        received += length;
        if (received >= TOP_UP) {
            ByteBuf update = context.alloc().directBuffer(Frames.HEAD_BYTES + 4);
            Frames.windowUpdate(update, 0, received);
            received = 0;
            context.writeAndFlush(update);
        }
        int padding = (flags & Frames.PADDED) == 0 ? 0 : in.readUnsignedByte() + 1;
        int bytes = length - padding;
        data(context, stream, in.slice(in.readerIndex(), bytes), (flags & Frames.END_STREAM) != 0);
    }

    private void headersFrame(ChannelHandlerContext context, int flags, int stream, ByteBuf in, int length) throws Http2Exception {
        if ((flags & Frames.END_HEADERS) == 0) {
            throw new IllegalStateException("HEADERS without END_HEADERS: a header list over 16 KiB (expected: a small one)");
        }
        int bytes = length;
        if ((flags & Frames.PADDED) != 0) {
            bytes -= in.readUnsignedByte() + 1;
        }
        if ((flags & Frames.PRIORITY) != 0) {
            in.skipBytes(5);
            bytes -= 5;
        }
        Http2Headers headers = decoder.decodeHeaders(stream, in.readSlice(bytes));
        headers(context, stream, headers, (flags & Frames.END_STREAM) != 0);
    }

    private void settingsFrame(ChannelHandlerContext context, int flags, ByteBuf in, int length) {
        if ((flags & Frames.ACK) != 0) {
            return;
        }
        for (int read = 0; read < length; read += 6) {
            setting(context, in.readUnsignedShort(), in.readUnsignedInt());
        }
        ByteBuf ack = context.alloc().directBuffer(Frames.HEAD_BYTES);
        Frames.settingsAck(ack);
        context.writeAndFlush(ack);
        windowsGrew(context);
    }

    private void setting(ChannelHandlerContext context, int id, long value) {
        if (id == Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE) {
            int delta = (int) value - initialWindow;
            initialWindow = (int) value;
            addWindow(context, 0, delta);
        } else if (id == Http2CodecUtil.SETTINGS_MAX_CONCURRENT_STREAMS) {
            maxStreams(context, value);
        }
    }

    private void windowFrame(ChannelHandlerContext context, int stream, int increment) {
        if (stream == 0) {
            connectionWindow += increment;
        } else {
            addWindow(context, stream, increment);
        }
        windowsGrew(context);
    }

    private static void ping(ChannelHandlerContext context, int flags, ByteBuf in) {
        if ((flags & Frames.ACK) != 0) {
            return;
        }
        ByteBuf ack = context.alloc().directBuffer(Frames.HEAD_BYTES + 8);
        Frames.pingAck(ack, in.readLong());
        context.writeAndFlush(ack);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        super.channelReadComplete(context);
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
