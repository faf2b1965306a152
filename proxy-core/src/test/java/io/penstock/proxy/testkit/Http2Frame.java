package io.penstock.proxy.testkit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One HTTP/2 frame (RFC 9113 section 4.1). Immutable but for its array, which nobody writes.
 *
 * @param type one of the constants, or any other number up to 255
 * @param flags the eight flags
 * @param stream stream number, 0 for the connection
 * @param payload the payload with its padding; for HEADERS the fragment of this frame only
 * @param headers the whole decoded block, on the HEADERS frame that began it; otherwise empty
 */
public record Http2Frame(int type, int flags, int stream, byte[] payload, List<Header> headers) {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PUSH_PROMISE = 5;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;

    public static final int ACK = 0x1;
    public static final int END_STREAM = 0x1;
    public static final int END_HEADERS = 0x4;
    public static final int PADDED = 0x8;
    public static final int PRIORITY_FLAG = 0x20;

    public static final int NO_ERROR = 0;
    public static final int PROTOCOL_ERROR = 1;
    public static final int INTERNAL_ERROR = 2;
    public static final int FLOW_CONTROL_ERROR = 3;
    public static final int STREAM_CLOSED = 5;
    public static final int FRAME_SIZE_ERROR = 6;
    public static final int REFUSED_STREAM = 7;
    public static final int CANCEL = 8;
    public static final int COMPRESSION_ERROR = 9;
    public static final int ENHANCE_YOUR_CALM = 11;

    private static final String[] NAMES = {"DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
        "WINDOW_UPDATE", "CONTINUATION"};

    public boolean is(int wanted, int onStream) {
        return type == wanted && stream == onStream;
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Whether the frame ends its stream's response in the regular way. */
    public boolean ends() {
        return (type == DATA || type == HEADERS) && has(END_STREAM);
    }

    /** The error code of RST_STREAM or GOAWAY. */
    public long errorCode() {
        return switch (type) {
            case RST_STREAM -> unsigned(0);
            case GOAWAY -> unsigned(4);
            default -> throw new IllegalStateException(this + " has no error code");
        };
    }

    /** The last stream of GOAWAY. */
    public long lastStream() {
        return unsigned(0) & 0x7fff_ffffL;
    }

    /** The increment of WINDOW_UPDATE. */
    public int increment() {
        return ByteBuffer.wrap(payload).getInt() & 0x7fff_ffff;
    }

    /** The value of a setting in this SETTINGS frame. */
    public Optional<Long> setting(int id) {
        Optional<Long> value = Optional.empty();
        ByteBuffer settings = ByteBuffer.wrap(payload);
        while (settings.remaining() >= 6) {
            boolean wanted = settings.getShort() == id;
            long read = settings.getInt() & 0xffff_ffffL;
            value = wanted ? Optional.of(read) : value;
        }
        return value;
    }

    /** DATA without its padding, or GOAWAY's debug data. */
    public byte[] content() {
        if (type == GOAWAY) {
            return Arrays.copyOfRange(payload, 8, payload.length);
        }
        return has(PADDED) ? Arrays.copyOfRange(payload, 1, payload.length - (payload[0] & 0xff)) : payload;
    }

    private long unsigned(int at) {
        return ByteBuffer.wrap(payload).getInt(at) & 0xffff_ffffL;
    }

    @Override
    public String toString() {
        String name = type < NAMES.length ? NAMES[type] : "type " + type;
        return name + "[stream " + stream + ", flags 0x" + Integer.toHexString(flags) + ", " + payload.length + " bytes"
                + (headers.isEmpty() ? "" : ", " + headers) + (type == RST_STREAM || type == GOAWAY ? ", code " + errorCode() : "") + ']';
    }
}
