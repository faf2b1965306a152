package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection of either side, as the handler that turns bytes into calls of a {@link SessionListener} and calls into bytes. What
 * is written waits for the end of the event loop's turn. It sends its preface and SETTINGS as soon as it is in the pipeline of an active
 * channel. Used on the connection's event loop.
 */
public final class Http2Session extends ChannelDuplexHandler {

    private Http2Session(boolean server, SessionOptions options, SessionListener listener) {
    }

    /** The end that is connected to. */
    public static Http2Session server(SessionOptions options, SessionListener listener) {
        return new Http2Session(true, options, listener);
    }

    /** The end that connects, and opens streams. It lets nobody push (RFC 9113 section 8.4). */
    public static Http2Session client(SessionOptions options, SessionListener listener) {
        return new Http2Session(false, options, listener);
    }

    // --- streams ---

    /** Whether {@link #open} may be called: the peer allows one more, ids are left, and no GOAWAY has come or gone. Client side. */
    public boolean canOpen() {
        throw new UnsupportedOperationException();
    }

    /**
     * A new stream. Nothing is sent before its head is written.
     *
     * @throws IllegalStateException where {@link #canOpen} is false
     */
    public SessionStream open(@Nullable Object attachment) {
        throw new UnsupportedOperationException();
    }

    /** Streams that are open or half closed. */
    public int activeStreams() {
        throw new UnsupportedOperationException();
    }

    /** Streams that the peer lets us have open at once; 100 until its SETTINGS are here. */
    public int peerMaxStreams() {
        throw new UnsupportedOperationException();
    }

    /** The streams that are open or half closed at this moment. */
    public List<SessionStream> streams() {
        throw new UnsupportedOperationException();
    }

    // --- out ---

    /** Sends a head or trailers, after what is pending on the stream. Ignored on a stream whose half has ended. */
    public void writeHeaders(SessionStream stream, Http2Headers headers, boolean last) {
        throw new UnsupportedOperationException();
    }

    /** Sends body bytes as the windows allow, and takes the buffer over. Released on a stream whose half has ended. */
    public void writeData(SessionStream stream, ByteBuf data, boolean last) {
        throw new UnsupportedOperationException();
    }

    /** Resets the stream and closes it at once: what is pending is released, {@link SessionListener#onClosed} is told before the return. */
    public void reset(SessionStream stream, Http2Error error) {
        throw new UnsupportedOperationException();
    }

    /** Returns credit for body bytes of {@link SessionListener#onData}; more than is outstanding is ignored. */
    public void consume(SessionStream stream, int bytes) {
        throw new UnsupportedOperationException();
    }

    /** Lets the peer have that many bytes on their way on this stream from now on; never fewer than before. */
    public void expandWindow(SessionStream stream, int window) {
        throw new UnsupportedOperationException();
    }

    /** Asks the peer for a sign of life: {@link SessionListener#onPingAck}. */
    public void ping(long data) {
        throw new UnsupportedOperationException();
    }

    /**
     * Tells the peer to open no streams above {@code lastStreamId}, which is not larger than in an earlier call; such streams are refused
     * from now on. Closes nothing.
     */
    public void goAway(int lastStreamId, Http2Error error) {
        throw new UnsupportedOperationException();
    }

    /** Writes and flushes now what would wait for the end of the turn. */
    public void flush() {
        throw new UnsupportedOperationException();
    }

    // --- state ---

    /** The highest stream of the peer that its owner has heard of; what a last GOAWAY names. */
    public int lastPeerStream() {
        throw new UnsupportedOperationException();
    }

    public boolean goAwaySent() {
        throw new UnsupportedOperationException();
    }

    public boolean goAwayReceived() {
        throw new UnsupportedOperationException();
    }

    /** Whether the peer's preface is complete, its first SETTINGS included. */
    public boolean prefaceReceived() {
        throw new UnsupportedOperationException();
    }

    /** Whether a header block has begun and not ended. A slow DATA frame is none: who uploads slowly does nothing wrong. */
    public boolean blockBegun() {
        throw new UnsupportedOperationException();
    }

    /** Charges the reset of a request that was not answered yet and that old; throws when it was one too many. Server side. */
    public void prematureReset(long ageNanos) throws Http2Exception {
        throw new UnsupportedOperationException();
    }
}
