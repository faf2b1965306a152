package io.penstock.bench.headroom;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** One connection of an {@link Http1Wire}: one request at a time. One event loop. */
final class Http1Link extends ChannelInboundHandlerAdapter {

    private final Http1Wire wire;
    private @Nullable ChannelHandlerContext context;
    private Wire.@Nullable Reply reply;
    private boolean informational;
    private boolean keepAlive;

    Http1Link(Http1Wire wire) {
        this.wire = wire;
    }

    Wire.Sent send(Wire.Request request, Wire.Reply to) {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            throw new IllegalStateException("connection: not active (expected: an open one)");
        }
        reply = to;
        keepAlive = false;
        ctx.executor().execute(() -> {
            if (reply == to) {
                ctx.writeAndFlush(Requests.http1(request)).addListener(written -> {
                    if (!written.isSuccess()) {
                        ctx.close();
                    }
                });
            }
        });
        return () -> cancel(to);
    }

    /** HTTP/1.1 knows no other way to give a request up. */
    private void cancel(Wire.Reply of) {
        if (reply == of) {
            reply = null;
            close();
        }
    }

    void close() {
        if (context != null) {
            context.close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            if (message instanceof HttpResponse head) {
                informational = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
                head(head);
            }
            if (message instanceof LastHttpContent && !informational) {
                finish();
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void head(HttpResponse head) {
        if (!informational && reply != null) {
            keepAlive = HttpUtil.isKeepAlive(head) && head.decoderResult().isSuccess();
            reply.head(Answer.read(head.status().code(), name -> head.headers().get(name), wire.settings().headroomName()));
        }
    }

    private void finish() {
        Wire.Reply done = reply;
        reply = null;
        if (keepAlive && done != null) {
            wire.free(this);
        } else {
            close();
        }
        if (done != null) {
            done.end(Outcome.DONE);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        wire.turn();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Wire.Reply lost = reply;
        reply = null;
        if (lost != null) {
            lost.end(Outcome.FAILED);
        }
        wire.gone(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
