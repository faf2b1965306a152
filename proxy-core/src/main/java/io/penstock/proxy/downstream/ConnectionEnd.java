package io.penstock.proxy.downstream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import javax.net.ssl.SSLException;

/**
 * Last in each pipeline: nothing passes it, and what goes wrong on a connection ends that connection quietly. Used on the connection's
 * event loop.
 */
final class ConnectionEnd extends ChannelInboundHandlerAdapter {

    private final ClientConnection client;
    private boolean failed;

    ConnectionEnd(ClientConnection client) {
        this.client = client;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ReferenceCountUtil.release(msg);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ReferenceCountUtil.release(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (failed) {
            return;
        }
        failed = true;
        Throwable root = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (root instanceof NotSslRecordException) {
            client.fail(ConnectionFault.TLS_NOT_TLS, "not TLS");
        } else if (root instanceof SSLException) {
            client.fail(ConnectionFault.TLS_HANDSHAKE, "TLS: " + root.getMessage());
        } else if (root instanceof IOException) {
            // The client broke the connection off: no fault, and channelInactive tells the requests.
            ctx.close();
        } else {
            Http2Streams.LOGGER.error("unexpected on a client connection", cause);
            client.fail(ConnectionFault.INTERNAL_ERROR, "unexpected " + root.getClass().getSimpleName());
        }
    }
}
