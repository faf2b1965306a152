package io.penstock.proxy.endpoint;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import javax.net.ssl.SSLException;

/** Hands the pieces of answers on one connection to the endpoint's poller. The connection's event loop only. */
final class ScrapeHandler extends SimpleChannelInboundHandler<HttpObject> {

    private final Poller poller;
    private boolean keepAlive;
    private boolean used;

    ScrapeHandler(Poller poller) {
        super(HttpObject.class);
        this.poller = poller;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
        if (!poller.awaits(ctx.channel())) {
            // an answer that nobody asked for, or the rest of one that was given up
            ctx.close();
            return;
        }
        if (part.decoderResult().isFailure()) {
            poller.failed("malformed answer");
            return;
        }
        if (part instanceof HttpResponse head && !accepts(head)) {
            return;
        }
        if (part instanceof HttpContent content) {
            boolean last = part instanceof LastHttpContent;
            poller.page(content.content(), last, keepAlive);
        }
    }

    private boolean accepts(HttpResponse head) {
        if (head.status().code() != HttpResponseStatus.OK.code()) {
            // A redirect too: it would have us ask whomever a model server names.
            poller.failed("status " + head.status().code());
            return false;
        }
        String encoding = head.headers().get(HttpHeaderNames.CONTENT_ENCODING);
        if (encoding != null && !HttpHeaderValues.IDENTITY.contentEqualsIgnoreCase(encoding)) {
            poller.failed("a content-encoding that was not asked for");
            return false;
        }
        keepAlive = HttpUtil.isKeepAlive(head);
        used = true;
        return true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        poller.lost(ctx.channel(), used);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Throwable root = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (root instanceof SSLException && poller.awaits(ctx.channel())) {
            poller.failed("TLS: " + root.getMessage());
        }
        // A reset, or what a hostile answer made the codec throw: the connection is of no more use either way.
        ctx.close();
    }
}
