package io.penstock.proxy.downstream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;

/**
 * Takes the protocol that ALPN chose (RFC 7301): {@code h2} or {@code http/1.1}. A client without ALPN, or one that offers neither, gets
 * HTTP/1.1. Used on the connection's event loop.
 */
final class AlpnSelector extends ApplicationProtocolNegotiationHandler {

    private final ClientConnection client;

    AlpnSelector(ClientConnection client) {
        super(ApplicationProtocolNames.HTTP_1_1);
        this.client = client;
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
        if (ApplicationProtocolNames.HTTP_2.equals(protocol)) {
            Protocols.http2(ctx.pipeline(), client, ctx.name());
        } else {
            Protocols.http1(ctx.pipeline(), client, ctx.name());
        }
    }

    @Override
    protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
        ctx.fireExceptionCaught(cause);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.fireExceptionCaught(cause);
    }
}
