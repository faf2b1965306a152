package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of one HTTP/2 connection hears of it, on the connection's event loop. It may call the session back from within, and may
 * reset the very stream it is told of. For each stream: {@link #onHead} (several times where heads are informational), any number of
 * {@link #onData}, perhaps {@link #onTrailers}; and {@link #onClosed} once, last, however it ends. Both {@link Http2Exception}s that it may
 * throw and runtime exceptions are taken as errors of the stream or of the connection.
 */
public interface SessionListener {

    /**
     * The head of a request (server side), or of a response, informational ones included (client side). On the server side this is the
     * first that is heard of the stream.
     *
     * @param last whether the peer's half ends here; the stream is half closed (remote) already
     */
    void onHead(SessionStream stream, Http2Headers head, boolean last) throws Http2Exception;

    /**
     * Body bytes. The listener owns the buffer and returns the credit of its bytes with {@link Http2Session#consume}; padding is credited
     * by the session.
     */
    void onData(SessionStream stream, ByteBuf data, boolean last) throws Http2Exception;

    /** Trailers; they end the peer's half. Pseudo header fields have been refused. */
    void onTrailers(SessionStream stream, Http2Headers trailers) throws Http2Exception;

    /**
     * A header list above the limit, whose fields are lost: the stream's first (it has been opened for an answer) or its trailers.
     *
     * @return false to have it treated as a stream error
     */
    default boolean onOversizeHeaders(SessionStream stream) {
        return false;
    }

    /** The peer has reset the stream; {@link #onClosed} follows. A GOAWAY that leaves the stream out is told as REFUSED_STREAM. */
    default void onReset(SessionStream stream, long errorCode) throws Http2Exception {
    }

    /** The session is about to reset the stream for the peer's fault, or because it cannot encode a head; {@link #onClosed} follows. */
    default void onStreamError(SessionStream stream, Http2Error error) {
    }

    /** The stream is in no state any more, nothing of it is pending, and it may be forgotten. Told once for each stream. */
    void onClosed(SessionStream stream);

    /** Body bytes have left flow control for the socket. Write nothing from here: see {@link #onFlushed}. */
    default void onWritten(SessionStream stream, int bytes) {
    }

    /** A flush is over: whoever was told of {@link #onWritten} may go on writing. */
    default void onFlushed() {
    }

    /** The peer's SETTINGS have been applied, for the first time or again. */
    default void onSettings() {
    }

    /** The peer takes no streams above {@code lastStreamId} any more; those of ours that are above have been told {@link #onReset}. */
    default void onGoAway(int lastStreamId, long errorCode) {
    }

    /** The peer has answered a {@link Http2Session#ping}. */
    default void onPingAck(long data) {
    }

    /**
     * The connection is at its end: GOAWAY and close follow, then {@link #onClosed} for each stream. Told at most once.
     *
     * @param error what the peer, or the session, did wrong; null where {@code cause} is a defect
     */
    default void onConnectionError(Throwable cause, @Nullable Http2Exception error) {
    }
}
