package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

/** What a {@link FrameReader} has read, checked for its form. Called on one event loop. */
interface FrameSink {

    /** {@code length} bytes from the reader index on; the sink takes a slice of them, or leaves them. */
    void data(int streamId, ByteBuf in, int length, int padding, boolean last) throws Http2Exception;

    void headers(int streamId, Http2Headers headers, boolean last) throws Http2Exception;

    /** A header block that was decoded and must not be used: too large, or against the rules of fields. */
    void unusableHeaders(int streamId, boolean last, Http2Exception.StreamException why) throws Http2Exception;

    void priority() throws Http2Exception;

    void reset(int streamId, long code) throws Http2Exception;

    /** {@code entries} pairs from the reader index on. */
    void settings(ByteBuf in, int entries) throws Http2Exception;

    void settingsAck() throws Http2Exception;

    void ping(long data) throws Http2Exception;

    void pingAck(long data) throws Http2Exception;

    void goAway(int lastStreamId, long code) throws Http2Exception;

    /** @param increment 0 to 2^31-1 */
    void windowUpdate(int streamId, int increment) throws Http2Exception;

    void unknown() throws Http2Exception;
}
