package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.penstock.proxy.http2.Abuse;
import io.penstock.proxy.http2.HardenedHttp2;
import io.penstock.proxy.net.LoopFlush;
import io.penstock.proxy.request.ClientGone;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection: Netty's connection handler driven directly, without a channel per stream. What is written waits for the end of
 * the event loop's turn. Used on the connection's event loop.
 */
final class Http2Downstream extends Http2ConnectionHandler implements ProtocolHandler {

    static final String NAME = "HTTP/2";

    private static final int STREAM_WINDOW = 65_535;
    private static final int EXPANDED_WINDOW = 256 << 10;
    private static final int CONNECTION_WINDOW = 1 << 20;
    /** How long a GOAWAY that ends the connection may take to leave. */
    private static final long CLOSE_MILLIS = 1_000;

    private final ClientConnection client;
    private final HardenedHttp2 http2;
    private final Http2Streams streams;
    /** Streams whose handlers are to be told of room: not while Netty distributes bytes, which would upset its accounts. */
    private final List<Http2Exchange> resumable = new ArrayList<>();
    private @Nullable ChannelHandlerContext context;
    private boolean lastGoAwaySent;
    /** After a connection error nothing more is read: what the client still sends must not cost anything. */
    private boolean dead;
    private long completeAt;

    static Http2Downstream create(ClientConnection client) {
        Edge edge = client.edge();
        Holder holder = new Holder();
        HardenedHttp2 http2 = new HardenedHttp2(edge.limits().maxConcurrentStreams(), edge.limits().maxHeaderBytes(),
                edge.limits().maxHeaders(), holder::dataWritten, edge.clock());
        Http2Downstream handler = new Http2Downstream(client, http2);
        holder.target = handler;
        http2.lifecycle(handler);
        return handler;
    }

    /** The frame writer is made before the handler that hears of its writes. */
    private static final class Holder {
        private @Nullable Http2Downstream target;

        void dataWritten(int streamId, int bytes) {
            if (target != null) {
                target.dataWritten(streamId, bytes);
            }
        }
    }

    private Http2Downstream(ClientConnection client, HardenedHttp2 http2) {
        super(http2.decoder(), http2.encoder(), http2.settings(), true, false);
        this.client = client;
        this.http2 = http2;
        streams = new Http2Streams(this, http2);
        completeAt = client.edge().clock().getAsLong();
        gracefulShutdownTimeoutMillis(CLOSE_MILLIS);
        http2.decoder().frameListener(streams);
        connection().addListener(streams);
    }

    ClientConnection client() {
        return client;
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext current = context;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return current;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        context = ctx;
        super.handlerAdded(ctx);
        decoder().flowController().incrementWindowSize(connection().connectionStream(), CONNECTION_WINDOW - STREAM_WINDOW);
        ctx.flush();
    }

    // --- out ---

    void writeHeaders(Http2Stream stream, Http2Headers head, boolean last) {
        ChannelHandlerContext ctx = context();
        encoder().writeHeaders(ctx, stream.id(), head, 0, last, ctx.newPromise());
        LoopFlush.current().add(ctx.channel());
    }

    void writeData(Http2Stream stream, ByteBuf data, boolean last) {
        ChannelHandlerContext ctx = context();
        encoder().writeData(ctx, stream.id(), data, 0, last, ctx.newPromise());
        LoopFlush.current().add(ctx.channel());
    }

    void reset(Http2Stream stream, Http2Error error) {
        ChannelHandlerContext ctx = context();
        resetStream(ctx, stream.id(), error.code(), ctx.newPromise());
        LoopFlush.current().add(ctx.channel());
    }

    /** Closes the stream at once: waiting for the write, as Netty does, lets queued DATA follow the RST_STREAM. */
    @Override
    public ChannelFuture resetStream(ChannelHandlerContext ctx, int streamId, long errorCode, ChannelPromise promise) {
        Http2Stream stream = connection().stream(streamId);
        ChannelFuture written = super.resetStream(ctx, streamId, errorCode, promise);
        if (stream != null) {
            stream.close();
        }
        return written;
    }

    private void dataWritten(int streamId, int bytes) {
        Http2Exchange exchange = streams.exchange(connection().stream(streamId));
        if (exchange != null && exchange.dataWritten(bytes)) {
            resumable.add(exchange);
        }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        super.flush(ctx);
        if (resumable.isEmpty()) {
            return;
        }
        // A listener's writes are flushed at the end of the turn; they add to the list only then.
        for (int i = 0; i < resumable.size(); i++) {
            resumable.get(i).resume();
        }
        resumable.clear();
    }

    void returnCredit(Http2Stream stream, int bytes) {
        int credit = Math.min(bytes, decoder().flowController().unconsumedBytes(stream));
        try {
            if (credit > 0 && decoder().flowController().consumeBytes(stream, credit)) {
                LoopFlush.current().add(context().channel());
            }
        } catch (Http2Exception e) {
            onError(context(), true, e);
        }
    }

    void expandWindow(Http2Stream stream) {
        int grow = EXPANDED_WINDOW - decoder().flowController().initialWindowSize(stream);
        if (grow <= 0 || !stream.state().remoteSideOpen()) {
            return;
        }
        try {
            decoder().flowController().incrementWindowSize(stream, grow);
            LoopFlush.current().add(context().channel());
        } catch (Http2Exception e) {
            onError(context(), true, e);
        }
    }

    // --- errors ---

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        if (dead) {
            in.skipBytes(in.readableBytes());
            return;
        }
        super.decode(ctx, in, out);
    }

    @Override
    protected void onStreamError(ChannelHandlerContext ctx, boolean outbound, Throwable cause, Http2Exception.StreamException error) {
        if (outbound) {
            // Frames of a stream that has been closed meanwhile; nobody's fault.
            super.onStreamError(ctx, true, cause, error);
            return;
        }
        if (error instanceof Http2Exception.HeaderListSizeException && connection().stream(error.streamId()) == null
                && streams.refuseOversize(error.streamId())) {
            return;
        }
        Http2Exchange exchange = streams.exchange(connection().stream(error.streamId()));
        if (exchange != null) {
            exchange.gone(ClientGone.PROTOCOL_ERROR);
        }
        super.onStreamError(ctx, false, cause, error);
        boolean ourRefusal = error.error() == Http2Error.REFUSED_STREAM && connection().goAwaySent();
        if (!ourRefusal && !http2.streamError(error.error())) {
            onError(ctx, false, Abuse.STREAM_ERROR_FLOOD.error());
        }
    }

    @Override
    protected void onConnectionError(ChannelHandlerContext ctx, boolean outbound, Throwable cause, @Nullable Http2Exception error) {
        if (dead) {
            return;
        }
        dead = true;
        if (error == null && cause instanceof IOException) {
            // A write met a broken connection: nobody's fault.
            streams.allGone(ClientGone.DISCONNECTED);
            ctx.close();
            return;
        }
        count(cause, error);
        client.lingerOnClose();
        streams.allGone(ClientGone.PROTOCOL_ERROR);
        super.onConnectionError(ctx, outbound, cause, error);
    }

    private void count(Throwable cause, @Nullable Http2Exception error) {
        Abuse abuse = Abuse.of(error);
        ConnectionFault fault = error == null ? ConnectionFault.INTERNAL_ERROR : ConnectionFault.PROTOCOL_ERROR;
        if (abuse != null) {
            client.edge().events().abuse(abuse);
            fault = ConnectionFault.ABUSE;
        }
        client.edge().events().fault(fault);
        String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        client.edge().log().warn("closing the HTTP/2 connection of " + client.peer() + ": " + reason);
    }

    /** A handler threw: this request cannot go on, the others can. */
    void failed(Http2Exchange exchange, RuntimeException cause) {
        client.edge().events().fault(ConnectionFault.INTERNAL_ERROR);
        Http2Streams.LOGGER.error("a request handler failed", cause);
        exchange.abort(Http2Error.INTERNAL_ERROR, ClientGone.RESET);
    }

    // --- time and end ---

    @Override
    public void tick(long now) {
        EdgeTimings timings = client.edge().timings();
        streams.resetStalled(now, timings.writeStall());
        if (!http2.blockBegun() && decoder().prefaceReceived()) {
            completeAt = now;
        } else if (now - completeAt >= timings.headers()) {
            client.fail(ConnectionFault.HEADERS_TIMEOUT, "the first SETTINGS or a header block did not come to its end");
            return;
        }
        if (streams.idleSince(now) >= timings.idle()) {
            client.edge().events().fault(ConnectionFault.IDLE_TIMEOUT);
            goAwayNow();
        }
    }

    @Override
    public void startDrain(Duration grace) {
        if (connection().goAwaySent()) {
            return;
        }
        ChannelHandlerContext ctx = context();
        goAway(ctx, Integer.MAX_VALUE, Http2Error.NO_ERROR.code(), Unpooled.EMPTY_BUFFER, ctx.newPromise());
        ctx.flush();
        ctx.executor().schedule(this::goAwayNow, grace.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The last GOAWAY: new streams are refused from now on, and the connection closes when it has none. */
    private void goAwayNow() {
        ChannelHandlerContext ctx = context();
        if (lastGoAwaySent || !ctx.channel().isActive()) {
            return;
        }
        lastGoAwaySent = true;
        goAway(ctx, connection().remote().lastStreamCreated(), Http2Error.NO_ERROR.code(), Unpooled.EMPTY_BUFFER, ctx.newPromise());
        ctx.flush();
        closeIfDrained();
    }

    /** Called whenever a stream has closed. */
    void closeIfDrained() {
        if (!lastGoAwaySent || connection().numActiveStreams() > 0) {
            return;
        }
        ChannelHandlerContext ctx = context();
        client.lingerOnClose();
        ctx.executor().execute(() -> {
            ctx.flush();
            ctx.close();
        });
    }

    @Override
    public int closeNow() {
        ChannelHandlerContext ctx = context();
        // Answers of this very turn, such as the refusal of what waited, go out whole and are no resets.
        flush(ctx);
        int reset = streams.abortAll(Http2Error.CANCEL, ClientGone.DISCONNECTED);
        if (!lastGoAwaySent) {
            goAwayNow();
        }
        ctx.flush();
        ctx.close();
        return reset;
    }

    @Override
    public void stalled() {
        streams.allGone(ClientGone.DISCONNECTED);
    }
}
