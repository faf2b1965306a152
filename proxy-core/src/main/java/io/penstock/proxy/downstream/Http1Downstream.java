package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.ReferenceCountUtil;
import io.penstock.proxy.net.LoopFlush;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.ErrorReply;
import io.penstock.proxy.request.HeaderNames;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestIds;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection: one request at a time, in HTTP/2 form towards the handlers. While a request waits, up to 64 KiB of its body are
 * read ahead, so that a client's FIN or RST is seen; it cancels the request. Used on the connection's event loop.
 */
final class Http1Downstream extends ChannelInboundHandlerAdapter implements ProtocolHandler {

    static final String NAME = "HTTP/1.1";

    private final ClientConnection client;
    private final Http1RequestReader reader;
    private final Http1Responses responses;
    private final Channel channel;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Http1Exchange exchange;
    private boolean keepAlive = true;
    private boolean draining;
    private boolean closing;
    private long idleSince;

    Http1Downstream(ClientConnection client, Http1RequestReader reader, Http1ResponseEncoder encoder) {
        this.client = client;
        this.reader = reader;
        channel = client.channel();
        responses = new Http1Responses(channel, encoder);
        idleSince = client.edge().clock().getAsLong();
    }

    ClientConnection client() {
        return client;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    // --- in ---

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (closing || !ctx.channel().isActive()) {
            ReferenceCountUtil.release(msg);
            return;
        }
        if (msg instanceof HttpObject part && part.decoderResult().isFailure()) {
            ReferenceCountUtil.release(msg);
            malformed(part.decoderResult().cause());
            return;
        }
        if (msg instanceof HttpRequest request) {
            request(request);
        } else if (msg instanceof HttpContent content) {
            content(content);
        }
    }

    private void request(HttpRequest request) {
        Http1Exchange current = open(HttpMethod.HEAD.equals(request.method()));
        keepAlive = HttpUtil.isKeepAlive(request);
        Http2Headers head = new DefaultHttp2Headers(false, 16);
        ErrorReply refusal = Http1Heads.refusal(request, client.edge().limits().maxHeaders());
        if (refusal == null) {
            String problem = Http1Heads.convert(request, client.scheme(), head);
            refusal = problem == null ? null : EdgeReplies.badRequest(problem);
        }
        if (refusal != null) {
            keepAlive = false;
            current.reply(refusal, RequestIds.of(request.headers().get(HeaderNames.REQUEST_ID)));
            return;
        }
        boolean last = !Http1Heads.hasBody(request);
        if (last) {
            current.completeRequest();
        }
        guarded(current, () -> client.loop().listener().onRequest(current.start(head), last));
    }

    private Http1Exchange open(boolean headRequest) {
        Http1Exchange opened = new Http1Exchange(this, headRequest);
        exchange = opened;
        client.loop().requestOpened();
        return opened;
    }

    private void content(HttpContent content) {
        Http1Exchange current = exchange;
        RequestContext request = current == null ? null : current.context();
        boolean last = content instanceof LastHttpContent;
        if (current == null || request == null || current.ended() || current.requestComplete()) {
            content.release();
            if (current != null && last) {
                current.completeRequest();
            }
            return;
        }
        ByteBuf data = content.content();
        current.received(data.readableBytes());
        if (!last) {
            guarded(current, () -> client.loop().listener().onData(request, data, false));
        } else {
            current.completeRequest();
            lastContent(current, request, (LastHttpContent) content);
        }
        updateReading();
    }

    private void lastContent(Http1Exchange current, RequestContext request, LastHttpContent content) {
        boolean trailers = !content.trailingHeaders().isEmpty();
        ByteBuf data = content.content();
        if (!trailers || data.isReadable()) {
            guarded(current, () -> client.loop().listener().onData(request, data, !trailers));
        } else {
            data.release();
        }
        if (trailers && !current.ended()) {
            guarded(current, () -> client.loop().listener().onTrailers(request, Http1Heads.trailers(content.trailingHeaders())));
        }
    }

    private void guarded(Http1Exchange current, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            failed(current, e);
        }
    }

    private void failed(Http1Exchange current, RuntimeException e) {
        client.edge().events().fault(ConnectionFault.INTERNAL_ERROR);
        Http2Streams.LOGGER.error("a request handler failed", e);
        current.gone(ClientGone.DISCONNECTED);
        abort(current);
    }

    private void malformed(Throwable cause) {
        client.edge().events().fault(ConnectionFault.PROTOCOL_ERROR);
        client.edge().log().warn("refusing the HTTP/1.1 request of " + client.peer() + ": " + cause.getMessage());
        Http1Exchange current = exchange;
        keepAlive = false;
        if (current != null) {
            boolean answered = current.headersSent();
            current.gone(ClientGone.PROTOCOL_ERROR);
            finish(current);
            if (answered) {
                close();
                return;
            }
        }
        ErrorReply reply = EdgeReplies.badRequest("The request breaks HTTP/1.1.");
        if (cause instanceof TooLongHttpLineException) {
            reply = new ErrorReply(414, "The request line is too long.");
        } else if (cause instanceof TooLongFrameException) {
            reply = EdgeReplies.HEADERS_TOO_LARGE;
        }
        open(false).reply(reply, RequestIds.random());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        updateReading();
    }

    /** Reads on while less than a window's bytes wait for the handlers, those of later requests included. */
    void updateReading() {
        Http1Exchange current = exchange;
        boolean wanted = closing || current == null || current.room() > reader.heldBytes();
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        Http1Exchange current = exchange;
        RequestContext request = current == null ? null : current.context();
        if (channel.isWritable() && current != null && request != null && !current.ended()) {
            guarded(current, () -> client.loop().listener().onWritable(request));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        allGone(ClientGone.DISCONNECTED);
        ctx.fireChannelInactive();
    }

    // --- out ---

    boolean writable() {
        return channel.isWritable();
    }

    void offerUpgrade() {
        responses.offerUpgrade();
    }

    void writeInformational(int status, Http2Headers head) {
        responses.informational(status, head);
        LoopFlush.current().add(channel);
    }

    void writeHead(Http1Exchange current, int status, Http2Headers head, boolean bodiless, boolean last) {
        keepAlive &= !draining && current.requestComplete();
        responses.head(status, head, bodiless, last, keepAlive);
        LoopFlush.current().add(channel);
    }

    void writeData(ByteBuf data) {
        responses.data(data);
        LoopFlush.current().add(channel);
    }

    void writeEnd(Http1Exchange current, @Nullable ByteBuf data, @Nullable Http2Headers trailers) {
        responses.end(data, trailers);
        finish(current);
        if (!keepAlive || !current.requestComplete()) {
            close();
        } else {
            LoopFlush.current().add(channel);
            ChannelHandlerContext ctx = context;
            if (ctx != null) {
                reader.release(ctx);
            }
            updateReading();
        }
    }

    private void finish(Http1Exchange current) {
        if (exchange == current) {
            exchange = null;
            idleSince = client.edge().clock().getAsLong();
            client.loop().requestClosed();
        }
    }

    /** Ends the connection in the middle of a response, so that the client cannot take it for complete. */
    void abort(Http1Exchange current) {
        finish(current);
        closing = true;
        // What the model server did send is the client's, also where its end came in the same turn.
        channel.flush();
        channel.close();
    }

    /** Closes once all that was written has gone out. */
    private void close() {
        closing = true;
        client.lingerOnClose();
        channel.write(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        LoopFlush.current().add(channel);
    }

    // --- time and end ---

    @Override
    public void tick(long now) {
        EdgeTimings timings = client.edge().timings();
        if (closing) {
            return;
        }
        if (exchange == null && reader.headAge(now) >= timings.headers()) {
            client.edge().events().fault(ConnectionFault.HEADERS_TIMEOUT);
            keepAlive = false;
            open(false).reply(new ErrorReply(408, "The request headers took too long."), RequestIds.random());
        } else if (exchange == null && now - idleSince >= timings.idle()) {
            client.edge().events().fault(ConnectionFault.IDLE_TIMEOUT);
            close();
        }
    }

    @Override
    public void startDrain(Duration grace) {
        if (draining) {
            return;
        }
        draining = true;
        closeWhenIdle(Math.max(grace.toNanos(), ClientConnection.DRAIN_PATIENCE_NANOS));
    }

    /** A client whose last response promised to keep the connection may be sending on it: it is answered, and told then. */
    private void closeWhenIdle(long delay) {
        channel.eventLoop().schedule(() -> {
            if (closing || !channel.isActive()) {
                return;
            }
            long now = client.edge().clock().getAsLong();
            boolean busy = exchange != null || reader.headAge(now) > 0;
            long rest = ClientConnection.DRAIN_PATIENCE_NANOS - (busy ? 0 : now - idleSince);
            if (rest > 0) {
                closeWhenIdle(rest);
            } else {
                close();
            }
        }, delay, TimeUnit.NANOSECONDS);
    }

    @Override
    public int closeNow() {
        keepAlive = false;
        Http1Exchange current = exchange;
        int reset = current == null || answeredAtLast(current) ? 0 : 1;
        // An answer of this very turn, such as the refusal of what waited, goes out whole.
        channel.flush();
        allGone(ClientGone.DISCONNECTED);
        closing = true;
        client.lingerOnClose();
        channel.close();
        return reset;
    }

    private boolean answeredAtLast(Http1Exchange current) {
        RequestContext request = current.context();
        try {
            return request != null && !current.ended() && client.loop().listener().onShutdown(request);
        } catch (RuntimeException e) {
            failed(current, e);
            return false;
        }
    }

    @Override
    public void stalled() {
        allGone(ClientGone.DISCONNECTED);
    }

    private void allGone(ClientGone cause) {
        Http1Exchange current = exchange;
        if (current != null) {
            finish(current);
            current.gone(cause);
        }
    }
}
