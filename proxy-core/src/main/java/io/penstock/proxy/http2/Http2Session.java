package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.ReferenceCountUtil;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection of either side, as the handler that turns bytes into calls of a {@link SessionListener} and calls into bytes. What
 * is written waits for the end of the event loop's turn. It sends its preface and SETTINGS as soon as it is in the pipeline of an active
 * channel. Used on the connection's event loop.
 */
public final class Http2Session extends ChannelDuplexHandler {

    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int ENABLE_PUSH = 2;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int MAX_HEADER_LIST_SIZE = 6;
    /** How long a GOAWAY that ends the connection may take to leave. */
    private static final long CLOSE_MILLIS = 1_000;

    private final boolean server;
    private final SessionOptions options;
    private final SessionListener listener;
    private final FrameBudget budget;
    private final ResetBudget resets;
    private final Streams streams;
    private final Outbox out;
    private final FrameWriter writer;
    private final SendFlow sendFlow;
    private final ReceiveFlow receiveFlow;
    private final FrameReader reader;
    private final PeerSettings peerSettings;
    private final ClientPreface preface;
    private @Nullable ChannelHandlerContext context;
    private boolean started;
    /** After a connection error nothing more is read or written: what the peer still sends must not cost anything. */
    private boolean dead;
    private boolean flushing;
    private boolean flushAgain;
    private int goAwaySent = -1;
    private int goAwayReceived = -1;

    private Http2Session(boolean server, SessionOptions options, SessionListener listener) {
        this.server = server;
        this.options = options;
        this.listener = listener;
        long now = options.clock().getAsLong();
        budget = new FrameBudget(now);
        resets = new ResetBudget(now);
        streams = new Streams(server, options.maxStreams(), budget, this::closed);
        streams.windows(SessionOptions.DEFAULT_WINDOW, options.streamWindow());
        out = new Outbox(() -> fail(Abuse.CONTROL_QUEUE_FULL.error()));
        writer = new FrameWriter(out, new DefaultHttp2HeadersEncoder(options.neverIndexed()));
        sendFlow = new SendFlow(writer, out, budget, new Written());
        receiveFlow = new ReceiveFlow(writer, options.connectionWindow());
        peerSettings = new PeerSettings(!server);
        preface = new ClientPreface(server);
        reader = new FrameReader(new CappedHeadersDecoder(options.maxHeaderBytes(), options.maxHeaders()),
                new Inbound(server, this, streams, listener, budget, resets, options.clock()));
    }

    /** The end that is connected to. */
    public static Http2Session server(SessionOptions options, SessionListener listener) {
        return new Http2Session(true, options, listener);
    }

    /** The end that connects, and opens streams. It lets nobody push (RFC 9113 section 8.4). */
    public static Http2Session client(SessionOptions options, SessionListener listener) {
        return new Http2Session(false, options, listener);
    }

    SendFlow sendFlow() {
        return sendFlow;
    }

    ReceiveFlow receiveFlow() {
        return receiveFlow;
    }

    FrameWriter writer() {
        return writer;
    }

    PeerSettings peerSettings() {
        return peerSettings;
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext current = context;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return current;
    }

    // --- streams ---

    /** Whether {@link #open} may be called: the peer allows one more, ids are left, and no GOAWAY has come or gone. Client side. */
    public boolean canOpen() {
        return !server && !dead && goAwaySent < 0 && goAwayReceived < 0 && streams.idsLeft() && streams.size() < peerSettings.maxStreams();
    }

    /**
     * A new stream. Nothing is sent before its head is written.
     *
     * @throws IllegalStateException where {@link #canOpen} is false
     */
    public SessionStream open(@Nullable Object attachment) {
        if (!canOpen()) {
            throw new IllegalStateException("streams: " + streams.size() + " (expected: a connection that can open one more)");
        }
        SessionStream stream = streams.own();
        stream.attach(attachment);
        return stream;
    }

    /** Streams that are neither closed nor forgotten, those that were opened here and have sent nothing included. */
    public int activeStreams() {
        return streams.size();
    }

    /** Streams that the peer lets us have open at once; at most 100 until its SETTINGS are here. */
    public int peerMaxStreams() {
        return peerSettings.maxStreams();
    }

    /** A copy of the list of the streams that {@link #activeStreams} counts. */
    public List<SessionStream> streams() {
        return streams.all();
    }

    private void closed(SessionStream stream) {
        sendFlow.forget(stream);
        if (stream.announced) {
            listener.onClosed(stream);
        }
    }

    /** What the frames that leave mean for their streams. */
    private final class Written implements SendFlow.Owner {

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
                listener.onStreamError(stream, Http2Error.INTERNAL_ERROR);
                reset(stream, Http2Error.INTERNAL_ERROR);
            } else {
                fail(why);
            }
        }
    }

    // --- out ---

    /** Sends a head or trailers, after what is pending on the stream. Ignored on a stream whose half has ended. */
    public void writeHeaders(SessionStream stream, Http2Headers headers, boolean last) {
        if (dead || stream.localEnded()) {
            return;
        }
        if (stream.state == StreamState.IDLE) {
            stream.state = StreamState.OPEN;
        }
        sendFlow.headers(stream, headers, last);
    }

    /** Sends body bytes as the windows allow, and takes the buffer over. Released on a stream whose half has ended. */
    public void writeData(SessionStream stream, ByteBuf data, boolean last) {
        if (dead || stream.localEnded()) {
            data.release();
            return;
        }
        if (stream.state == StreamState.IDLE) {
            data.release();
            throw new IllegalStateException("DATA before the head of stream " + stream.id());
        }
        sendFlow.data(stream, data, last);
    }

    /** Resets the stream and closes it at once: what is pending is released, {@link SessionListener#onClosed} is told before the return. */
    public void reset(SessionStream stream, Http2Error error) {
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

    /** Returns credit for body bytes of {@link SessionListener#onData}; more than is outstanding is ignored. */
    public void consume(SessionStream stream, int bytes) {
        if (!dead) {
            receiveFlow.consumed(stream, bytes);
        }
    }

    /** Lets the peer have that many bytes on their way on this stream from now on; never fewer than before. Not before its head is sent. */
    public void expandWindow(SessionStream stream, int window) {
        if (!dead) {
            receiveFlow.expand(stream, window);
        }
    }

    /** Asks the peer for a sign of life: {@link SessionListener#onPingAck}. */
    public void ping(long data) {
        if (!dead) {
            writer.ping(data);
        }
    }

    /**
     * Tells the peer to open no streams above {@code lastStreamId}, which is not larger than in an earlier call; such streams are refused
     * from now on. Closes nothing.
     */
    public void goAway(int lastStreamId, Http2Error error) {
        if (dead || goAwaySent >= 0 && lastStreamId > goAwaySent) {
            return;
        }
        goAwaySent = lastStreamId;
        streams.goAway(lastStreamId);
        writer.goAway(lastStreamId, error.code(), null);
    }

    /** Writes and flushes now what would wait for the end of the turn. */
    public void flush() {
        flush(context());
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        if (flushing) {
            // The channel has become writable within the flush: the loop below goes on.
            flushAgain = true;
            return;
        }
        flushing = true;
        try {
            do {
                flushAgain = false;
                if (!dead) {
                    sendFlow.distribute();
                }
                out.flush();
            } while (flushAgain || !dead && sendFlow.canWrite());
        } catch (RuntimeException e) {
            fail(e);
        } finally {
            flushing = false;
        }
        listener.onFlushed();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (!dead && sendFlow.canWrite()) {
            flush(ctx);
        }
        ctx.fireChannelWritabilityChanged();
    }

    // --- in ---

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        out.attach(ctx);
        start(ctx);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        start(ctx);
        ctx.fireChannelActive();
    }

    private void start(ChannelHandlerContext ctx) {
        if (started || !ctx.channel().isActive()) {
            return;
        }
        started = true;
        int[] settings = {server ? MAX_CONCURRENT_STREAMS : ENABLE_PUSH, options.maxStreams(), MAX_HEADER_LIST_SIZE, options.maxHeaderBytes(),
            INITIAL_WINDOW_SIZE, options.streamWindow()};
        if (!server) {
            settings[1] = 0;
            writer.preface();
        }
        writer.settings(options.streamWindow() == SessionOptions.DEFAULT_WINDOW ? Arrays.copyOf(settings, 4) : settings);
        receiveFlow.start();
        flush(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf in)) {
            ReferenceCountUtil.release(message);
            return;
        }
        try {
            read(ctx, in);
        } finally {
            in.release();
        }
    }

    private void read(ChannelHandlerContext ctx, ByteBuf in) {
        try {
            if (dead || !preface.read(in)) {
                return;
            }
        } catch (Http2Exception e) {
            fail(e);
            return;
        }
        boolean more = true;
        while (more && !dead) {
            try {
                more = reader.next(in, ctx.alloc());
            } catch (Http2Exception e) {
                more = true;
                error(e);
            } catch (RuntimeException e) {
                fail(e);
            }
        }
    }

    /** The peer's SETTINGS have been read. */
    void applySettings() throws Http2Exception {
        // Before anything that depends on them.
        writer.settingsAck();
        writer.apply(peerSettings, !server);
        streams.windows(peerSettings.initialWindow(), options.streamWindow());
        sendFlow.initialWindow(peerSettings.initialWindow(), streams.all());
        listener.onSettings();
    }

    void goAwayReceived(int lastStreamId) {
        goAwayReceived = lastStreamId;
    }

    // --- errors and end ---

    private void error(Http2Exception error) {
        if (error instanceof Http2Exception.StreamException ofStream) {
            try {
                streamError(ofStream);
            } catch (RuntimeException e) {
                fail(e);
            }
        } else {
            fail(error);
        }
    }

    private void streamError(Http2Exception.StreamException error) {
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
        boolean ourRefusal = error.error() == Http2Error.REFUSED_STREAM && goAwaySent >= 0;
        if (!ourRefusal && !resets.streamError(error.error(), options.clock().getAsLong())) {
            fail(Abuse.STREAM_ERROR_FLOOD.error());
        }
    }

    /** The connection's end: GOAWAY behind what was written, and close. */
    private void fail(Throwable cause) {
        if (dead) {
            return;
        }
        dead = true;
        Http2Exception error = cause instanceof Http2Exception known ? known : null;
        listener.onConnectionError(cause, error);
        ChannelHandlerContext ctx = context();
        Http2Error code = error == null ? Http2Error.INTERNAL_ERROR : error.error();
        goAwaySent = streams.lastPeer();
        writer.goAway(goAwaySent, code.code(), error == null ? null : error.getMessage());
        ChannelFuture left = out.emitNoticed();
        ctx.flush();
        left.addListener(done -> ctx.close());
        if (!left.isDone()) {
            ctx.executor().schedule(() -> ctx.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        end();
    }

    private void end() {
        dead = true;
        for (SessionStream stream : streams.all()) {
            streams.close(stream);
        }
        reader.release();
        out.release();
        writer.release();
    }

    // --- state ---

    /** The highest stream of the peer that was taken; what a last GOAWAY names. */
    public int lastPeerStream() {
        return streams.lastPeer();
    }

    public boolean goAwaySent() {
        return goAwaySent >= 0;
    }

    public boolean goAwayReceived() {
        return goAwayReceived >= 0;
    }

    /** Whether the peer's preface is complete, its first SETTINGS included. */
    public boolean prefaceReceived() {
        return reader.settingsSeen();
    }

    /** Whether a header block has begun and not ended. A slow DATA frame is none: who uploads slowly does nothing wrong. */
    public boolean blockBegun() {
        return reader.blockBegun();
    }

    /** Charges the reset of a request that was not answered yet and that old; throws when it was one too many. Server side. */
    public void prematureReset(long ageNanos) throws Http2Exception {
        resets.requestReset(ageNanos, budget.opened());
    }
}
