package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/** An HTTP/2 client that sends exactly the frames it is told to. One thread. */
final class Http2Probe implements AutoCloseable {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    /** A received frame; type -1 stands for the end of the connection. */
    record Frame(int type, int flags, int stream, byte[] payload) {
        boolean last() {
            return (flags & END_STREAM) != 0;
        }

        long number(int at) {
            return Unpooled.wrappedBuffer(payload).getUnsignedInt(at);
        }
    }

    static final Frame END = new Frame(-1, 0, 0, new byte[0]);

    final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder();

    Http2Probe(InetSocketAddress address) {
        this(connect(address), new byte[0]);
    }

    /** Connects and sends preface and SETTINGS with these entries. */
    Http2Probe(InetSocketAddress address, byte[] settings) {
        this(connect(address), settings);
    }

    Http2Probe(Socket socket, byte[] settings) {
        try {
            this.socket = socket;
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
            pending.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            frame(SETTINGS, 0, 0, settings).send();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Socket connect(InetSocketAddress address) {
        try {
            Socket socket = new Socket(address.getAddress(), address.getPort());
            socket.setSoTimeout(10_000);
            socket.setTcpNoDelay(true);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] setting(int id, long value) {
        ByteBuf entry = Unpooled.buffer(6).writeShort(id).writeInt((int) value);
        return entry.array();
    }

    /** Queues a frame. */
    Http2Probe frame(int type, int flags, int stream, byte[] payload) {
        byte[] head = {(byte) (payload.length >> 16), (byte) (payload.length >> 8), (byte) payload.length, (byte) type, (byte) flags,
            (byte) (stream >> 24), (byte) (stream >> 16), (byte) (stream >> 8), (byte) stream};
        pending.writeBytes(head);
        pending.writeBytes(payload);
        return this;
    }

    Http2Probe get(int stream, String path) {
        return frame(HEADERS, END_HEADERS | END_STREAM, stream, request("GET", path));
    }

    Http2Probe post(int stream, String path, String... more) {
        return frame(HEADERS, END_HEADERS, stream, request("POST", path, more));
    }

    Http2Probe data(int stream, byte[] bytes, boolean last) {
        return frame(DATA, last ? END_STREAM : 0, stream, bytes);
    }

    Http2Probe rst(int stream, int code) {
        return frame(RST_STREAM, 0, stream, number(code));
    }

    Http2Probe window(int stream, int increment) {
        return frame(WINDOW_UPDATE, 0, stream, number(increment));
    }

    static byte[] number(int value) {
        return new byte[] {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value};
    }

    static byte[] request(String method, String path, String... more) {
        ByteBuf block = Unpooled.buffer();
        field(block, ":method", method);
        field(block, ":scheme", "http");
        field(block, ":path", path);
        field(block, ":authority", "test");
        for (int i = 0; i < more.length; i += 2) {
            field(block, more[i], more[i + 1]);
        }
        return bytes(block);
    }

    static byte[] fields(String... fields) {
        ByteBuf block = Unpooled.buffer();
        for (int i = 0; i < fields.length; i += 2) {
            field(block, fields[i], fields[i + 1]);
        }
        return bytes(block);
    }

    private static byte[] bytes(ByteBuf block) {
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        return bytes;
    }

    private static void field(ByteBuf block, String name, String value) {
        block.writeByte(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteBuf block, String text) {
        int rest = text.length() - 127;
        block.writeByte(rest < 0 ? text.length() : 127);
        if (rest >= 0) {
            while (rest >= 128) {
                block.writeByte(rest & 127 | 128);
                rest >>= 7;
            }
            block.writeByte(rest);
        }
        block.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }

    /** Sends what was queued in one write; a connection that the other side has closed is no failure. */
    Http2Probe send() {
        try {
            out.write(pending.toByteArray());
            out.flush();
        } catch (SocketException ignored) {
            // The reads tell how it ended.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            pending.reset();
        }
        return this;
    }

    Frame read() {
        try {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            Frame head = new Frame(in.readUnsignedByte(), in.readUnsignedByte(), in.readInt(), new byte[length]);
            in.readFully(head.payload());
            return head;
        } catch (EOFException | SocketException e) {
            return END;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next frame of that type on that stream, others being passed over; {@link #END} when the connection ends before. */
    Frame await(int type, int stream) {
        return await(frame -> frame.type() == type && frame.stream() == stream);
    }

    Frame await(Predicate<Frame> wanted) {
        for (;;) {
            Frame frame = read();
            if (frame == END || wanted.test(frame)) {
                return frame;
            }
        }
    }

    Http2Headers awaitHeaders(int stream) {
        Frame frame = await(HEADERS, stream);
        try {
            return hpack.decodeHeaders(stream, Unpooled.wrappedBuffer(frame.payload()));
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A round trip, so that all that was sent before has been taken. */
    void ping() {
        frame(PING, 0, 0, new byte[8]).send();
        await(frame -> frame.type() == PING && (frame.flags() & ACK) != 0);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
