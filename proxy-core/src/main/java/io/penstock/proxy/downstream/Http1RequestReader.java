package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpConstants;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.penstock.proxy.codec.LineFolding;
import io.penstock.proxy.config.ProxyConfig;
import java.util.List;

/**
 * Netty's request decoder, one request at a time: what a client sends ahead stays undecoded bytes until the response before it has ended.
 * Refuses folded header lines, which Netty joins. Used on the connection's event loop.
 */
final class Http1RequestReader extends HttpRequestDecoder {

    private static final int MAX_LINE = 8 << 10;
    private static final int MAX_CHUNK = 64 << 10;

    private final ClientConnection client;
    private boolean inHead = true;
    private boolean headBegun;
    private boolean held;
    private boolean broken;
    private boolean timing;
    private long headSince;

    Http1RequestReader(ClientConnection client) {
        super(config(client.edge().limits()));
        this.client = client;
    }

    private static HttpDecoderConfig config(ProxyConfig.Limits limits) {
        return new HttpDecoderConfig().setMaxInitialLineLength(MAX_LINE).setMaxHeaderSize(limits.maxHeaderBytes())
                .setMaxChunkSize(MAX_CHUNK).setStrictLineParsing(true).setAllowDuplicateContentLengths(false);
    }

    /** Bytes of later requests. */
    int heldBytes() {
        return held ? actualReadableBytes() : 0;
    }

    /** Goes on with the next request; may be called while this decoder is delivering. */
    void release(ChannelHandlerContext ctx) {
        held = false;
        if (actualReadableBytes() > 0) {
            ctx.executor().execute(() -> decodeHeld(ctx));
        }
    }

    private void decodeHeld(ChannelHandlerContext ctx) {
        ChannelHandlerContext own = ctx.pipeline().context(this);
        if (own == null || held) {
            return;
        }
        try {
            channelRead(own, Unpooled.EMPTY_BUFFER);
            channelReadComplete(own);
        } catch (Exception e) {
            own.fireExceptionCaught(e);
        }
    }

    /** How long a request head has been coming in; 0 when none has begun. */
    long headAge(long now) {
        return timing ? now - headSince : 0;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
        super.channelRead(ctx, msg);
        boolean begun = inHead && !held && (headBegun || actualReadableBytes() > 0);
        if (begun && !timing) {
            headSince = client.edge().clock().getAsLong();
        }
        timing = begun;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        if (held) {
            return;
        }
        if (broken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (inHead && LineFolding.found(in, headBegun)) {
            broken = true;
            in.skipBytes(in.readableBytes());
            HttpMessage refused = createInvalidMessage();
            refused.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("folded header line")));
            out.add(refused);
            return;
        }
        int from = in.readerIndex();
        super.decode(ctx, in, out);
        headBegun |= in.readerIndex() > from && in.getByte(in.readerIndex() - 1) == HttpConstants.LF;
        for (int i = 0; i < out.size(); i++) {
            Object part = out.get(i);
            if (part instanceof LastHttpContent) {
                inHead = true;
                headBegun = false;
                held = true;
            } else if (part instanceof HttpMessage) {
                inHead = false;
            }
        }
    }
}
