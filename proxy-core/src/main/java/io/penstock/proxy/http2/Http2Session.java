package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection of either side, as the handler that turns bytes into calls of a {@link SessionListener} and calls into bytes. What
 * is written waits for the end of the event loop's turn. It sends its preface and SETTINGS as soon as it is in the pipeline of an active
 * channel. Used on the connection's event loop.
 */
public final class Http2Session extends ChannelDuplexHandler {

    /** How long a GOAWAY that ends the connection may take to leave. */
    private static final long CLOSE_MILLIS = 1_000;
    /** What may wait for a client that does not read, above what the channel calls writable: DATA never gets there, heads can. */
    private static final int MAX_WAITING = 256 << 10;

    private final SessionListener listener;
    private final SessionCore core;
    private final ClientPreface preface;
    private final FrameReader reader;
    private @Nullable ChannelHandlerContext context;
    private boolean started;
    private boolean flushing;
    private boolean flushAgain;
    /** Nothing more is read until the client has taken what waits for it. */
    private boolean held;

    private Http2Session(boolean server, SessionOptions options, SessionListener listener) {
        this.listener = listener;
        core = new SessionCore(server, options, listener, this::fail);
        preface = new ClientPreface(server);
        reader = new FrameReader(new CappedHeadersDecoder(options.maxHeaderBytes(), options.maxHeaders()), new Inbound(core));
    }

    /** The end that is connected to. */
    public static Http2Session server(SessionOptions options, SessionListener listener) {
        return new Http2Session(true, options, listener);
    }

    /** The end that connects, and opens streams. It lets nobody push (RFC 9113 section 8.4). */
    public static Http2Session client(SessionOptions options, SessionListener listener) {
        return new Http2Session(false, options, listener);
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
        return core.canOpen();
    }

    /**
     * A new stream. Nothing is sent before its head is written.
     *
     * @throws IllegalStateException where {@link #canOpen} is false
     */
    public SessionStream open(@Nullable Object attachment) {
        return core.open(attachment);
    }

    /** Streams that are not closed, those that were opened here and have sent nothing included. */
    public int activeStreams() {
        return core.streams.size();
    }

    /** Streams that the peer lets us have open at once; at most 100 until its SETTINGS are here. */
    public int peerMaxStreams() {
        return core.peer.maxStreams();
    }

    /** A copy of the list of the streams that {@link #activeStreams} counts. */
    public List<SessionStream> streams() {
        return core.streams.all();
    }

    // --- out ---

    /** Sends a head or trailers, after what is pending on the stream. Ignored on a stream whose half has ended. */
    public void writeHeaders(SessionStream stream, Http2Headers headers, boolean last) {
        core.writeHeaders(stream, headers, last);
    }

    /** Whether the peer takes so large a head; one that is sent nevertheless ends its stream only. A server sends what it likes. */
    public boolean fits(Http2Headers headers) {
        return core.writer.fits(headers);
    }

    /** Sends body bytes as the windows allow, and takes the buffer over. Released on a stream whose half has ended. */
    public void writeData(SessionStream stream, ByteBuf data, boolean last) {
        core.writeData(stream, data, last);
    }

    /** Resets the stream and closes it at once: what is pending is released, {@link SessionListener#onClosed} is told before the return. */
    public void reset(SessionStream stream, Http2Error error) {
        core.reset(stream, error);
    }

    /** Returns credit for body bytes of {@link SessionListener#onData}; more than is outstanding is ignored. */
    public void consume(SessionStream stream, int bytes) {
        if (!core.dead()) {
            core.receiveFlow.consumed(stream, bytes);
        }
    }

    /** Lets the peer have that many bytes on their way on this stream from now on; never fewer than before. Not before its head is sent. */
    public void expandWindow(SessionStream stream, int window) {
        if (!core.dead()) {
            core.receiveFlow.expand(stream, window);
        }
    }

    /** Asks the peer for a sign of life: {@link SessionListener#onPingAck}. */
    public void ping(long data) {
        if (!core.dead()) {
            core.writer.ping(data);
        }
    }

    /**
     * Tells the peer to open no streams above {@code lastStreamId}, which is not larger than in an earlier call; such streams are refused
     * from now on. Closes nothing.
     */
    public void goAway(int lastStreamId, Http2Error error) {
        core.goAway(lastStreamId, error);
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
                if (!core.dead()) {
                    core.sendFlow.distribute();
                }
                core.out.flush();
            } while (flushAgain || canDistribute());
        } catch (RuntimeException e) {
            fail(e);
        } finally {
            flushing = false;
        }
        hold(ctx);
        listener.onFlushed();
    }

    /** A response that is a head alone ends its stream without asking whether the client reads, and lets it open the next. */
    private void hold(ChannelHandlerContext ctx) {
        if (core.server && !held && ctx.channel().bytesBeforeWritable() > MAX_WAITING) {
            held = true;
            ctx.channel().config().setAutoRead(false);
        }
    }

    private void letGo(ChannelHandlerContext ctx) {
        if (held && ctx.channel().isWritable()) {
            held = false;
            ctx.channel().config().setAutoRead(true);
        }
    }

    private boolean canDistribute() {
        return !core.dead() && core.sendFlow.canWrite();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        letGo(ctx);
        if (canDistribute()) {
            flush(ctx);
        }
        ctx.fireChannelWritabilityChanged();
    }

    // --- in ---

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        core.out.attach(ctx);
        start(ctx);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        start(ctx);
        ctx.fireChannelActive();
    }

    private void start(ChannelHandlerContext ctx) {
        if (!started && ctx.channel().isActive()) {
            started = true;
            core.start();
            flush(ctx);
        }
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
        boolean more = true;
        while (more && !core.dead()) {
            try {
                more = preface.read(in) && reader.next(in, ctx.alloc());
            } catch (Http2Exception.StreamException e) {
                streamError(e);
            } catch (Http2Exception | RuntimeException e) {
                fail(e);
            }
        }
    }

    private void streamError(Http2Exception.StreamException error) {
        try {
            core.streamError(error);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    // --- the end ---

    /** The connection's end: GOAWAY behind what was written, and close. */
    private void fail(Throwable cause) {
        if (core.dead()) {
            return;
        }
        core.die();
        Http2Exception error = cause instanceof Http2Exception known ? known : null;
        ChannelHandlerContext ctx = context();
        try {
            listener.onConnectionError(cause, error);
        } finally {
            core.lastGoAway(error);
            ChannelFuture left = core.out.emitNoticed();
            ctx.flush();
            left.addListener(done -> ctx.close());
            if (!left.isDone()) {
                ctx.executor().schedule(() -> ctx.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
            }
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
        core.die();
        try {
            core.closeAll();
        } finally {
            reader.release();
            core.release();
        }
    }

    // --- state ---

    /** The highest stream of the peer that was taken; what a last GOAWAY names. */
    public int lastPeerStream() {
        return core.streams.lastPeer();
    }

    public boolean goAwaySent() {
        return core.goAwaySent();
    }

    public boolean goAwayReceived() {
        return core.goAwayReceived();
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
        core.resets.requestReset(ageNanos, core.budget.opened());
    }
}
