package io.penstock.proxy.downstream;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes in two steps where the client may still be sending: a FIN after what was written, then, on the client's own FIN or after a second,
 * the close. Without it the kernel answers the client's unread bytes with RST, which destroys a GOAWAY or an error answer on its way
 * (Envoy: {@code delayed_close_timeout}). First in the pipeline; used on the connection's event loop.
 */
final class LingeringClose extends ChannelDuplexHandler {

    private static final long LINGER_MILLIS = 1_000;

    private boolean armed;
    private boolean closing;

    void arm() {
        armed = true;
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (!armed || !ctx.channel().isActive() || !(ctx.channel() instanceof DuplexChannel channel)) {
            ctx.close(promise);
            return;
        }
        ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
        if (closing) {
            return;
        }
        closing = true;
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> channel.shutdownOutput());
        ctx.channel().config().setAutoRead(true);
        ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (closing) {
            ReferenceCountUtil.release(msg);
            return;
        }
        ctx.fireChannelRead(msg);
    }
}
