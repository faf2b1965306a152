package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2CodecUtil;

/** Writes HTTP/2 frames (RFC 9113 section 4) into buffers; no state, any thread. */
final class Frames {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    static final int PADDED = 0x8;
    static final int PRIORITY = 0x20;

    static final int HEAD_BYTES = 9;
    /** What every peer must take (RFC 9113 section 4.2). */
    static final int MAX_PAYLOAD = 16_384;
    /** Initial stream and connection window before any SETTINGS (RFC 9113 section 6.9.2). */
    static final int DEFAULT_WINDOW = 65_535;
    /** The window that our side grants, for streams and for connections: nothing that is measured ever fills it. */
    static final int OUR_WINDOW = 1 << 30;

    private Frames() {
    }

    static void head(ByteBuf out, int length, int type, int flags, int stream) {
        out.writeMedium(length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
    }

    /** Our SETTINGS (large windows, no push) and the connection's first WINDOW_UPDATE. */
    static void opening(ByteBuf out, boolean client) {
        head(out, client ? 12 : 6, SETTINGS, 0, 0);
        out.writeShort(Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE);
        out.writeInt(OUR_WINDOW);
        if (client) {
            out.writeShort(Http2CodecUtil.SETTINGS_ENABLE_PUSH);
            out.writeInt(0);
        }
        windowUpdate(out, 0, OUR_WINDOW - DEFAULT_WINDOW);
    }

    static void windowUpdate(ByteBuf out, int stream, int increment) {
        head(out, 4, WINDOW_UPDATE, 0, stream);
        out.writeInt(increment);
    }

    static void settingsAck(ByteBuf out) {
        head(out, 0, SETTINGS, ACK, 0);
    }

    static void pingAck(ByteBuf out, long opaque) {
        head(out, 8, PING, ACK, 0);
        out.writeLong(opaque);
    }

    static void reset(ByteBuf out, int stream, int code) {
        head(out, 4, RST_STREAM, 0, stream);
        out.writeInt(code);
    }
}
