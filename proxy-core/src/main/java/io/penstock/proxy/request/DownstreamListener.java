package io.penstock.proxy.request;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * What the client does, told to the request chain on the connection's event loop. A buffer passed in is the listener's. Nothing is called
 * for a request after {@link #onClosed}, nor after the response has ended.
 */
public interface DownstreamListener {

    /**
     * A request's head, in {@link RequestContext#head()}.
     *
     * @param last whether the request has no body
     */
    void onRequest(RequestContext context, boolean last);

    /** Body bytes. Their credit is returned with {@link DownstreamExchange#consumed}. */
    void onData(RequestContext context, ByteBuf data, boolean last);

    /** Trailers; they end the request. */
    void onTrailers(RequestContext context, Http2Headers trailers);

    /** {@link DownstreamExchange#writable()} turned true. */
    void onWritable(RequestContext context);

    /** The client has gone before the response was complete. */
    void onClosed(RequestContext context, ClientGone cause);

    /**
     * The process ends now: a request that has no response head yet is answered, any other is reset with {@link ResetReason#SHUTDOWN}.
     * What a listener leaves open is reset by the caller.
     *
     * @return whether the request was answered
     */
    default boolean onShutdown(RequestContext context) {
        return false;
    }
}
