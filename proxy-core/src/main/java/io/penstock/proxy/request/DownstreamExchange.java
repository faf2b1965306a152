package io.penstock.proxy.request;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.concurrent.Executor;

/**
 * The client's half of one request, the same for HTTP/1.1 and HTTP/2. Called on the connection's event loop only. Header blocks are in
 * HTTP/2 form: lower-case names, {@code :status} first; the exchange leaves out what its protocol forbids. After {@link #reset} or a call
 * with {@code last}, and after the client has gone, every call is ignored and its buffer released.
 */
public interface DownstreamExchange {

    /** The connection's event loop. */
    Executor executor();

    /** {@code HTTP/2} or {@code HTTP/1.1}, for logs and metrics. */
    String protocol();

    /** The peer's address without its port, for {@code x-forwarded-for} and logs. */
    String peer();

    /** Whether the connection is TLS, for {@code x-forwarded-proto}. */
    boolean secure();

    /** Sends a 1xx head. May be called several times before {@link #headers}. */
    void informational(Http2Headers head);

    /** Sends the final response head. */
    void headers(Http2Headers head, boolean last);

    /** Sends body bytes and takes the buffer over. */
    void data(ByteBuf data, boolean last);

    /** Sends trailers and ends the response. */
    void trailers(Http2Headers trailers);

    /**
     * Ends the exchange so that the client cannot take the response for complete: RST_STREAM on HTTP/2, a closed connection in mid-body on
     * HTTP/1.1.
     */
    void reset(ResetReason reason);

    /** False while more than the high-water mark of this response waits for the client, or its window is closed. */
    boolean writable();

    /** Returns credit for request body bytes: the client may send that many more. Whoever keeps body bytes does not call this for them. */
    void consumed(int bytes);

    /** Lets the client send faster than the window of a waiting request allows: once its body is wanted. A second call does nothing. */
    void expandWindow();
}
