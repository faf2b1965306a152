package io.penstock.proxy.codec;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * What a {@link ResponseParser} has read, told on the thread that feeds it. Heads are in HTTP/2 form: {@code :status} first, lower-case
 * names, nothing that belongs to the connection. The call with {@code last}, {@link #onTrailers} and {@link #onMalformed} end the response;
 * the parser has let go of the sink before them. Any call may {@link ResponseParser#stop stop} the parser.
 */
public interface ResponseSink {

    /** A 1xx head other than 101; ten at most. */
    void onInformational(Http2Headers head);

    /** The final head. */
    void onHead(Http2Headers head, boolean last);

    /** Body bytes; the buffer is the sink's. Empty only where it is the last. */
    void onData(ByteBuf data, boolean last);

    /** Trailers, at least one. */
    void onTrailers(Http2Headers trailers);

    /** The answer breaks the protocol. */
    void onMalformed(String why);
}
