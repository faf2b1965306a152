package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One frame as it is on the wire. */
record WireFrame(int type, int flags, int stream, byte[] payload) {

    static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    static WireFrame of(int type, int flags, int stream, byte... payload) {
        return new WireFrame(type, flags, stream, payload);
    }

    static WireFrame data(int stream, int bytes, boolean last) {
        return of(FrameType.DATA, last ? FrameType.END_STREAM : 0, stream, new byte[bytes]);
    }

    static WireFrame headers(int stream, boolean last, String... fields) {
        return of(FrameType.HEADERS, FrameType.END_HEADERS | (last ? FrameType.END_STREAM : 0), stream, block(fields));
    }

    static WireFrame get(int stream) {
        return headers(stream, true, ":method", "GET", ":scheme", "http", ":path", "/" + stream, ":authority", "a");
    }

    static WireFrame post(int stream) {
        return headers(stream, false, ":method", "POST", ":scheme", "http", ":path", "/" + stream, ":authority", "a");
    }

    static WireFrame window(int stream, int increment) {
        return of(FrameType.WINDOW_UPDATE, 0, stream, numbers(increment));
    }

    static WireFrame settings(long... pairs) {
        ByteBuf payload = Unpooled.buffer();
        for (int i = 0; i < pairs.length; i += 2) {
            payload.writeShort((int) pairs[i]).writeInt((int) pairs[i + 1]);
        }
        return of(FrameType.SETTINGS, 0, 0, bytes(payload));
    }

    static byte[] numbers(int... values) {
        ByteBuf payload = Unpooled.buffer();
        for (int value : values) {
            payload.writeInt(value);
        }
        return bytes(payload);
    }

    /** Literal fields without indexing: blocks that do not depend on each other. */
    static byte[] block(String... fields) {
        ByteBuf block = Unpooled.buffer();
        for (int i = 0; i < fields.length; i += 2) {
            block.writeByte(0);
            text(block, fields[i]);
            text(block, fields[i + 1]);
        }
        return bytes(block);
    }

    private static void text(ByteBuf block, String text) {
        int rest = text.length() - 127;
        block.writeByte(rest < 0 ? text.length() : 127);
        if (rest >= 0) {
            for (; rest >= 128; rest >>= 7) {
                block.writeByte(rest & 127 | 128);
            }
            block.writeByte(rest);
        }
        block.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(ByteBuf buf) {
        byte[] bytes = new byte[buf.readableBytes()];
        buf.readBytes(bytes);
        return bytes;
    }

    boolean last() {
        return (flags & FrameType.END_STREAM) != 0;
    }

    int number(int at) {
        return Unpooled.wrappedBuffer(payload).getInt(at);
    }

    void write(ByteArrayOutputStream out) {
        int length = payload.length;
        out.writeBytes(new byte[] {(byte) (length >> 16), (byte) (length >> 8), (byte) length, (byte) type, (byte) flags});
        out.writeBytes(numbers(stream));
        out.writeBytes(payload);
    }

    static byte[] wire(WireFrame... frames) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (WireFrame frame : frames) {
            frame.write(out);
        }
        return out.toByteArray();
    }

    /** Whole frames only, and all of them. */
    static List<WireFrame> parse(ByteBuf wire) {
        List<WireFrame> frames = new ArrayList<>();
        while (wire.isReadable()) {
            byte[] payload = new byte[wire.readUnsignedMedium()];
            int type = wire.readUnsignedByte();
            int flags = wire.readUnsignedByte();
            int stream = wire.readInt();
            wire.readBytes(payload);
            frames.add(new WireFrame(type, flags, stream, payload));
        }
        return frames;
    }

    @Override
    public String toString() {
        return "type " + type + " flags " + flags + " stream " + stream + " bytes " + payload.length;
    }
}
