package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;

import io.netty.handler.codec.http2.Http2Exception;

/**
 * What the peer may send (RFC 9113 section 5.2). The connection's window is filled up on receipt, so that streams whose bytes wait do not
 * stop the others; a stream's is filled up as its bytes are consumed, each time half of it is, unless the rest of a body whose length is
 * known fits anyway. Used on one event loop.
 */
final class ReceiveFlow {

    private final FrameWriter writer;
    private final int size;
    private int window = SessionOptions.DEFAULT_WINDOW;

    ReceiveFlow(FrameWriter writer, int size) {
        this.writer = writer;
        this.size = size;
    }

    /** Opens the connection's window. */
    void start() {
        if (size > window) {
            writer.windowUpdate(0, size - window);
            window = size;
        }
    }

    /** Bytes of any stream, padding included, have come. */
    void received(int bytes) throws Http2Exception {
        window -= bytes;
        if (window < 0) {
            throw connectionError(FLOW_CONTROL_ERROR, "more DATA than the connection's window allows");
        }
        if (window <= size >> 1) {
            writer.windowUpdate(0, size - window);
            window = size;
        }
    }

    void received(SessionStream stream, int bytes) throws Http2Exception {
        stream.receiveWindow -= bytes;
        if (stream.receiveWindow < 0) {
            throw streamError(stream.id(), FLOW_CONTROL_ERROR, "more DATA than the window of stream %d allows", stream.id());
        }
    }

    void consumed(SessionStream stream, int bytes) {
        int credit = Math.min(bytes, stream.processedWindow - stream.receiveWindow);
        if (credit > 0) {
            stream.processedWindow -= credit;
            fillUp(stream);
        }
    }

    void expand(SessionStream stream, int window) {
        if (window > stream.receiveSize && !stream.remoteEnded() && stream.state != StreamState.IDLE) {
            stream.receiveSize = window;
            fillUp(stream);
        }
    }

    private void fillUp(SessionStream stream) {
        if (!stream.remoteEnded() && stream.processedWindow <= stream.receiveSize >> 1 && !enough(stream)) {
            int granted = stream.receiveSize - stream.processedWindow;
            stream.processedWindow += granted;
            stream.receiveWindow += granted;
            writer.windowUpdate(stream.id(), granted);
        }
    }

    /** Whether all that is still promised fits, with a whole frame to spare for a peer that pads: more would only be a frame to send. */
    private static boolean enough(SessionStream stream) {
        long left = stream.bodyExpected - stream.bodyReceived;
        return stream.bodyExpected >= 0 && stream.receiveWindow - left >= FrameType.MAX_PAYLOAD;
    }
}
