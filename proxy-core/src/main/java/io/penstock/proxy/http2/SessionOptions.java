package io.penstock.proxy.http2;

import io.netty.handler.codec.http2.Http2HeadersEncoder.SensitivityDetector;
import java.util.function.LongSupplier;

/**
 * How one HTTP/2 connection is run. Immutable.
 *
 * @param maxStreams streams that the peer may have open at once, enforced before it has seen SETTINGS; 0 on the client side
 * @param streamWindow bytes that the peer may send on a new stream, 65 535 to 2^31-1 (RFC 9113 section 6.5.2)
 * @param connectionWindow bytes that the peer may send on all streams, 65 535 to 2^31-1; refilled on receipt
 * @param maxHeaderBytes a header list's bytes, counted as RFC 9113 section 6.5.2 does
 * @param maxHeaders a header list's fields, cookie crumbs included, pseudo headers not
 * @param neverIndexed fields that must not enter HPACK's table (RFC 7541 section 6.2.3)
 * @param clock nanoseconds
 */
public record SessionOptions(int maxStreams, int streamWindow, int connectionWindow, int maxHeaderBytes, int maxHeaders,
        SensitivityDetector neverIndexed, LongSupplier clock) {

    /** The window that every connection and stream begins with (RFC 9113 section 6.9.2). */
    public static final int DEFAULT_WINDOW = 65_535;

    public SessionOptions {
        if (maxStreams < 0) {
            throw new IllegalArgumentException("maxStreams: " + maxStreams + " (expected: 0 or more)");
        }
        if (streamWindow < DEFAULT_WINDOW) {
            throw new IllegalArgumentException("streamWindow: " + streamWindow + " (expected: at least " + DEFAULT_WINDOW + ")");
        }
        if (connectionWindow < DEFAULT_WINDOW) {
            throw new IllegalArgumentException("connectionWindow: " + connectionWindow + " (expected: at least " + DEFAULT_WINDOW + ")");
        }
    }
}
