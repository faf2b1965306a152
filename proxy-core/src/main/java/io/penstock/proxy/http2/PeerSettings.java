package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;

/** What the peer's SETTINGS say, with the values that hold without any (RFC 9113 section 6.5.2). Used on one event loop. */
final class PeerSettings {

    private static final int HEADER_TABLE_SIZE = 1;
    private static final int ENABLE_PUSH = 2;
    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int MAX_FRAME_SIZE = 5;
    private static final int MAX_HEADER_LIST_SIZE = 6;
    private static final int ENABLE_CONNECT_PROTOCOL = 8;
    private static final int LARGEST_FRAME = (1 << 24) - 1;
    /** Streams that one may count on before SETTINGS say how many there may be. */
    private static final int FIRST_STREAMS = 100;

    private final boolean ofServer;
    private boolean received;
    private long headerTableSize = 4_096;
    private long smallestHeaderTableSize = headerTableSize;
    private int maxStreams = Integer.MAX_VALUE;
    private int initialWindow = SessionOptions.DEFAULT_WINDOW;
    private int maxFrame = FrameType.MAX_PAYLOAD;
    private long maxHeaderListSize = -1;

    /** @param ofServer whether the peer is the server */
    PeerSettings(boolean ofServer) {
        this.ofServer = ofServer;
    }

    /** Takes the entries in their order. */
    void read(ByteBuf in, int entries) throws Http2Exception {
        smallestHeaderTableSize = headerTableSize;
        for (int i = 0; i < entries; i++) {
            int id = in.readUnsignedShort();
            set(id, in.readUnsignedInt());
        }
        received = true;
    }

    private void set(int id, long value) throws Http2Exception {
        switch (id) {
            case HEADER_TABLE_SIZE -> {
                headerTableSize = value;
                smallestHeaderTableSize = Math.min(smallestHeaderTableSize, value);
            }
            case ENABLE_PUSH -> check(value <= (ofServer ? 0 : 1), "ENABLE_PUSH", value);
            case MAX_CONCURRENT_STREAMS -> maxStreams = (int) Math.min(value, Integer.MAX_VALUE);
            case INITIAL_WINDOW_SIZE -> {
                if (value > Integer.MAX_VALUE) {
                    throw connectionError(FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE: %d (expected: below 2^31)", value);
                }
                initialWindow = (int) value;
            }
            case MAX_FRAME_SIZE -> {
                check(value >= FrameType.MAX_PAYLOAD && value <= LARGEST_FRAME, "MAX_FRAME_SIZE", value);
                maxFrame = (int) value;
            }
            case MAX_HEADER_LIST_SIZE -> maxHeaderListSize = value;
            case ENABLE_CONNECT_PROTOCOL -> check(value <= 1, "ENABLE_CONNECT_PROTOCOL", value);
            default -> {
                // A setting that we do not know is ignored.
            }
        }
    }

    private static void check(boolean right, String name, long value) throws Http2Exception {
        if (!right) {
            throw connectionError(PROTOCOL_ERROR, "%s: %d (expected: a value of RFC 9113 section 6.5.2)", name, value);
        }
    }

    long headerTableSize() {
        return headerTableSize;
    }

    /** The smallest that the last frame went through: the peer has evicted down to it (RFC 7541 section 4.2). */
    long smallestHeaderTableSize() {
        return smallestHeaderTableSize;
    }

    int maxStreams() {
        return received ? maxStreams : Math.min(maxStreams, FIRST_STREAMS);
    }

    int initialWindow() {
        return initialWindow;
    }

    int maxFrame() {
        return maxFrame;
    }

    /** The largest header list that the peer takes, or -1. */
    long maxHeaderListSize() {
        return maxHeaderListSize;
    }
}
