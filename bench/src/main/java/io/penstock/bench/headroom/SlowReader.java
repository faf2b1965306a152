package io.penstock.bench.headroom;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes a sip from the socket now and then, as a client does that is short of time. One event loop. */
final class SlowReader extends ChannelInboundHandlerAdapter {

    private final int pauseMillis;
    private @Nullable Future<?> sips;

    SlowReader(int pauseMillis) {
        this.pauseMillis = pauseMillis;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        sips = ctx.executor().scheduleAtFixedRate(ctx::read, 0, pauseMillis, TimeUnit.MILLISECONDS);
        ctx.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Future<?> running = sips;
        if (running != null) {
            running.cancel(false);
        }
        ctx.fireChannelInactive();
    }
}
