package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one connection, and what they do together: what {@link Http2Session} offers, without the channel. Used on one event loop.
 */
final class SessionCore implements SendFlow.Owner {

    private static final int ENABLE_PUSH = 2;
    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int MAX_HEADER_LIST_SIZE = 6;

    final boolean server;
    final SessionOptions options;
    final SessionListener listener;
    final FrameBudget budget;
    final ResetBudget resets;
    final Streams streams;
    final Outbox out;
    final FrameWriter writer;
    final SendFlow sendFlow;
    final ReceiveFlow receiveFlow;
    final PeerSettings peer;
    private final Consumer<Throwable> failure;
    /** After a connection error nothing more is read or written: what the peer still sends must not cost anything. */
    private boolean dead;
    private int goAwaySent = -1;
    private int goAwayReceived = -1;

    /** @param failure ends the connection */
    SessionCore(boolean server, SessionOptions options, SessionListener listener, Consumer<Throwable> failure) {
        this.server = server;
        this.options = options;
        this.listener = listener;
        this.failure = failure;
        long now = options.clock().getAsLong();
        budget = new FrameBudget(now);
        resets = new ResetBudget(now);
        streams = new Streams(server, options.maxStreams(), budget, this::closed);
        streams.windows(SessionOptions.DEFAULT_WINDOW, options.streamWindow());
        out = new Outbox(() -> failure.accept(Abuse.CONTROL_QUEUE_FULL.error()));
        // The writer looks at the peer's limit itself: the encoder would go over each list for it, named or not.
        writer = new FrameWriter(out, new DefaultHttp2HeadersEncoder(options.neverIndexed(), true));
        sendFlow = new SendFlow(writer, out, budget, this);
        receiveFlow = new ReceiveFlow(writer, options.connectionWindow());
        peer = new PeerSettings(!server);
    }

    /** Writes the preface: what each side sends before anything else. */
    void start() {
        int[] settings = {MAX_CONCURRENT_STREAMS, options.maxStreams(), MAX_HEADER_LIST_SIZE, options.maxHeaderBytes(),
            INITIAL_WINDOW_SIZE, options.streamWindow()};
        if (!server) {
            settings[0] = ENABLE_PUSH;
            settings[1] = 0;
            writer.preface();
        }
        writer.settings(options.streamWindow() == SessionOptions.DEFAULT_WINDOW ? Arrays.copyOf(settings, 4) : settings);
        receiveFlow.start();
    }

    boolean dead() {
        return dead;
    }

    void die() {
        dead = true;
    }

    // --- streams ---

    boolean canOpen() {
        return !server && !dead && goAwaySent < 0 && goAwayReceived < 0 && streams.idsLeft() && streams.size() < peer.maxStreams();
    }

    SessionStream open(@Nullable Object attachment) {
        if (!canOpen()) {
            throw new IllegalStateException("streams: " + streams.size() + " (expected: a connection that can open one more)");
        }
        SessionStream stream = streams.own();
        stream.attach(attachment);
        return stream;
    }

    private void closed(SessionStream stream) {
        sendFlow.forget(stream);
        if (stream.announced) {
            listener.onClosed(stream);
        }
    }

    @Override
    public void written(SessionStream stream, int bytes) {
        listener.onWritten(stream, bytes);
    }

    @Override
    public void ended(SessionStream stream) {
        stream.state = stream.state.endLocal();
        if (stream.closed()) {
            streams.close(stream);
        } else if (server) {
            // The response is complete and the request is not: the client need not send the rest (RFC 9113 section 8.1).
            reset(stream, Http2Error.NO_ERROR);
        }
    }

    @Override
    public void unencodable(SessionStream stream, Http2Exception why) {
        if (Http2Exception.isStreamError(why)) {
            if (!server) {
                // Its head was all that could have told the peer of the stream, which takes a reset of an idle one for the connection's
                // error.
                stream.state = StreamState.IDLE;
            }
            listener.onStreamError(stream, Http2Error.INTERNAL_ERROR);
            reset(stream, Http2Error.INTERNAL_ERROR);
        } else {
            failure.accept(why);
        }
    }

    /** Closes every stream, and throws what the first owner threw once all are closed. */
    void closeAll() {
        RuntimeException thrown = null;
        for (SessionStream stream : streams.all()) {
            try {
                streams.close(stream);
            } catch (RuntimeException e) {
                thrown = thrown == null ? e : thrown;
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    // --- out ---

    void writeHeaders(SessionStream stream, Http2Headers headers, boolean last) {
        if (dead || stream.localEnded()) {
            return;
        }
        if (stream.state == StreamState.IDLE) {
            stream.state = StreamState.OPEN;
        }
        sendFlow.headers(stream, headers, last);
    }

    void writeData(SessionStream stream, ByteBuf data, boolean last) {
        if (dead || stream.localEnded() || !last && !data.isReadable()) {
            data.release();
            return;
        }
        if (stream.state == StreamState.IDLE) {
            data.release();
            throw new IllegalStateException("DATA before the head of stream " + stream.id());
        }
        sendFlow.data(stream, data, last);
    }

    void reset(SessionStream stream, Http2Error error) {
        if (stream.closed()) {
            return;
        }
        boolean known = stream.state != StreamState.IDLE;
        // Closed first: a write can fail the connection, which closes what is open.
        streams.close(stream);
        if (known && !dead) {
            streams.resetSent(stream.id());
            writer.reset(stream.id(), error.code());
        }
    }

    void goAway(int lastStreamId, Http2Error error) {
        if (dead || goAwaySent >= 0 && lastStreamId > goAwaySent) {
            return;
        }
        goAwaySent = lastStreamId;
        streams.goAway(lastStreamId);
        writer.goAway(lastStreamId, error.code(), null);
    }

    /** The last GOAWAY of a connection that ends for an error. */
    void lastGoAway(@Nullable Http2Exception error) {
        Http2Error code = error == null ? Http2Error.INTERNAL_ERROR : error.error();
        goAwaySent = streams.lastPeer();
        writer.goAway(goAwaySent, code.code(), error == null ? null : error.getMessage());
    }

    // --- in ---

    /** The peer's SETTINGS have been read. */
    void applySettings() throws Http2Exception {
        // Before anything that depends on them.
        writer.settingsAck();
        writer.apply(peer, !server);
        streams.windows(peer.initialWindow(), options.streamWindow());
        sendFlow.initialWindow(peer.initialWindow(), streams.all());
        listener.onSettings();
    }

    void goAwayReceived(int lastStreamId) {
        goAwayReceived = lastStreamId;
    }

    void streamError(Http2Exception.StreamException error) {
        SessionStream stream = streams.existing(error.streamId());
        if (stream == null) {
            streams.resetSent(error.streamId());
            writer.reset(error.streamId(), error.error().code());
        } else {
            if (stream.announced) {
                listener.onStreamError(stream, error.error());
            }
            reset(stream, error.error());
        }
        if (!server && stream != null) {
            // A backend cannot make more of these than we open streams; to end its connection would cost its other requests.
            return;
        }
        boolean ourRefusal = error.error() == Http2Error.REFUSED_STREAM && goAwaySent >= 0;
        if (!ourRefusal && !resets.streamError(error.error(), options.clock().getAsLong())) {
            failure.accept(Abuse.STREAM_ERROR_FLOOD.error());
        }
    }

    boolean goAwaySent() {
        return goAwaySent >= 0;
    }

    boolean goAwayReceived() {
        return goAwayReceived >= 0;
    }

    void release() {
        out.release();
        writer.release();
    }
}
