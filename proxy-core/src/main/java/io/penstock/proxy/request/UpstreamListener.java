package io.penstock.proxy.request;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/** What the backend does, told on the event loop that opened the exchange. A buffer passed in is the listener's. */
public interface UpstreamListener {

    /** A connection is there and the request may be sent. May be called before {@link UpstreamConnector#open} has returned. */
    void onConnected(RequestContext context, UpstreamExchange exchange);

    /** A 1xx head other than 101. */
    void onInformational(RequestContext context, Http2Headers head);

    /** The final head: lower-case names, {@code :status} first, hop-by-hop names already gone. */
    void onHeaders(RequestContext context, Http2Headers head, boolean last);

    void onData(RequestContext context, ByteBuf data, boolean last);

    /** Trailers; they end the response. */
    void onTrailers(RequestContext context, Http2Headers trailers);

    /** {@link UpstreamExchange#writable()} turned true. */
    void onUpstreamWritable(RequestContext context);

    /** The exchange failed before the response was complete; it is over. */
    void onFailed(RequestContext context, UpstreamFault fault);
}
