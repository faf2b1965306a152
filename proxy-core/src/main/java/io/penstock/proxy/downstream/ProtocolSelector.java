package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.util.List;

/**
 * Tells HTTP/2 with prior knowledge from HTTP/1.1 by a cleartext connection's first bytes (RFC 9113 section 3.3), then makes way. An h2c
 * upgrade is never taken up. Used on the connection's event loop.
 */
final class ProtocolSelector extends ByteToMessageDecoder {

    private final ClientConnection client;
    private final ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();

    ProtocolSelector(ClientConnection client) {
        this.client = client;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int compared = Math.min(in.readableBytes(), preface.readableBytes());
        for (int i = 0; i < compared; i++) {
            if (in.getByte(in.readerIndex() + i) != preface.getByte(i)) {
                Protocols.http1(ctx.pipeline(), client, ctx.name());
                ctx.pipeline().remove(this);
                return;
            }
        }
        if (compared == preface.readableBytes()) {
            Protocols.http2(ctx.pipeline(), client, ctx.name());
            ctx.pipeline().remove(this);
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        preface.release();
    }
}
