package io.penstock.proxy.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client connection of a backend: hands its requests to the application one after the other, sees the client leave, and closes the
 * connection when it has been idle for too long. Only the server's event loop touches it.
 */
final class BackendConnection extends ChannelInboundHandlerAdapter {

    /** Decoded parts of pipelined requests that may wait for the answer before them; more end the connection. */
    private static final int MAX_PIPELINED_PARTS = 1024;
    private static final byte[] BAD_REQUEST = ("HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n"
            + "content-length: 30\r\nconnection: close\r\n\r\nInvalid HTTP request received.").getBytes(StandardCharsets.US_ASCII);

    private final BackendServer server;
    private final long number;
    private final ArrayDeque<HttpObject> pipelined = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private @Nullable BackendExchange current;
    private long idleSince;
    private boolean idle;
    private boolean idleTimer;
    private boolean draining;

    BackendConnection(BackendServer server, long number) {
        this.server = server;
        this.number = number;
    }

    long number() {
        return number;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        server.opened(ctx.channel());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        BackendExchange exchange = current;
        current = null;
        release();
        server.ended(ctx.channel());
        if (exchange != null && !exchange.answered()) {
            server.app().gone(exchange);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // A reset by the client ends here; channelInactive tells the application.
        ctx.close();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        BackendExchange exchange = current;
        if (exchange != null && !exchange.answered() && ctx.channel().isWritable()) {
            server.app().writable(exchange);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof HttpObject part)) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (pipelined.size() >= MAX_PIPELINED_PARTS) {
            ReferenceCountUtil.release(message);
            ctx.close();
            return;
        }
        pipelined.add(part);
        drain();
    }

    /** Hands on what has been decoded, up to the end of the request that is being answered. */
    private void drain() {
        if (draining) {
            return;
        }
        draining = true;
        try {
            while (!pipelined.isEmpty() && (current == null || !current.requestEnded())) {
                HttpObject part = pipelined.poll();
                try {
                    handle(part);
                } finally {
                    ReferenceCountUtil.release(part);
                }
            }
        } finally {
            draining = false;
        }
    }

    private void handle(HttpObject part) {
        ChannelHandlerContext ctx = context;
        if (ctx == null || !ctx.channel().isActive()) {
            return;
        }
        if (part.decoderResult().isFailure()) {
            ctx.writeAndFlush(Unpooled.wrappedBuffer(BAD_REQUEST)).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        if (part instanceof HttpRequest request) {
            idle = false;
            current = new BackendExchange(this, (SocketChannel) ctx.channel(), request);
            server.app().head(current);
        }
        BackendExchange exchange = current;
        if (exchange == null || !(part instanceof HttpContent content)) {
            return;
        }
        ByteBuf data = content.content();
        if (data.isReadable()) {
            server.app().data(exchange, data);
        }
        if (part instanceof LastHttpContent last) {
            exchange.markRequestEnded();
            server.app().end(exchange, last.trailingHeaders());
            next(exchange);
        }
    }

    /** The application finished an answer, perhaps before its request was complete. */
    void answered(BackendExchange exchange) {
        next(exchange);
    }

    private void next(BackendExchange exchange) {
        if (exchange != current || !exchange.requestEnded() || !exchange.answered()) {
            return;
        }
        current = null;
        if (pipelined.isEmpty()) {
            becomeIdle();
        } else {
            drain();
        }
    }

    private void becomeIdle() {
        ChannelHandlerContext ctx = context;
        long limit = server.idleTimeoutNanos();
        if (ctx == null || limit <= 0) {
            return;
        }
        idle = true;
        idleSince = ctx.executor().ticker().nanoTime();
        if (!idleTimer) {
            idleTimer = true;
            ctx.executor().schedule(this::checkIdle, limit, TimeUnit.NANOSECONDS);
        }
    }

    /** One timer a connection, moved on lazily, so that a busy connection costs no timer per request. */
    private void checkIdle() {
        idleTimer = false;
        ChannelHandlerContext ctx = context;
        if (ctx == null || !idle || !ctx.channel().isActive()) {
            return;
        }
        long left = server.idleTimeoutNanos() - (ctx.executor().ticker().nanoTime() - idleSince);
        if (left <= 0) {
            ctx.close();
            return;
        }
        idleTimer = true;
        ctx.executor().schedule(this::checkIdle, left, TimeUnit.NANOSECONDS);
    }

    private void release() {
        for (HttpObject part = pipelined.poll(); part != null; part = pipelined.poll()) {
            ReferenceCountUtil.release(part);
        }
    }
}
