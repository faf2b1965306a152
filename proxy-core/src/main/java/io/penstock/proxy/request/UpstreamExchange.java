package io.penstock.proxy.request;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * The backend's half of one request. Called on the event loop that opened it only. Headers are in HTTP/2 form with pseudo headers; the
 * exchange re-frames them for its protocol. Nothing may be sent before {@link UpstreamListener#onConnected}; after {@link #abort},
 * or once the response is complete or failed, every call is ignored and its buffer released.
 */
public interface UpstreamExchange {

    /**
     * Sends the head, and with {@code last} the end of the request.
     *
     * @throws HeadTooLargeException when the backend takes none so large
     * @throws IllegalArgumentException when the backend's protocol cannot carry it; either way the exchange is over
     */
    void headers(Http2Headers head, boolean last);

    /** Sends body bytes and takes the buffer over. */
    void data(ByteBuf data, boolean last);

    /** Ends the request body. Backends get no trailers. */
    void trailers(Http2Headers trailers);

    /** False while more than the high-water mark waits for the backend. */
    boolean writable();

    /** Stops or resumes reading the response. */
    void readable(boolean on);

    /**
     * Gives the exchange up at once, so that the engine stops working: the connection is closed (HTTP/1.1) or the stream reset (HTTP/2).
     * The listener hears no more.
     */
    void abort();
}
