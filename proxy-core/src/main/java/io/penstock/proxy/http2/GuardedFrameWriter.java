package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DecoratingHttp2FrameWriter;
import io.netty.handler.codec.http2.Http2FrameWriter;
import io.netty.handler.codec.http2.Http2LifecycleManager;
import org.jspecify.annotations.Nullable;

/**
 * Counts what leaves: DATA frames (for the window-update bound and for each stream's pending bytes), resets, and answers to control frames
 * that wait because the peer does not read (at most 1 000). Used on one event loop.
 */
final class GuardedFrameWriter extends DecoratingHttp2FrameWriter implements ChannelFutureListener {

    private static final int FRAME = 16_384;
    private static final int MAX_WAITING = 1_000;

    private final FrameBudget budget;
    private final RecentResets recent;
    private final DataObserver observer;
    private @Nullable Http2LifecycleManager lifecycle;
    private int waiting;
    private boolean exceeded;

    GuardedFrameWriter(Http2FrameWriter writer, FrameBudget budget, RecentResets recent, DataObserver observer) {
        super(writer);
        this.budget = budget;
        this.recent = recent;
        this.observer = observer;
    }

    void lifecycle(Http2LifecycleManager manager) {
        lifecycle = manager;
    }

    @Override
    public ChannelFuture writeData(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean last,
            ChannelPromise promise) {
        int bytes = data.readableBytes();
        budget.dataSent(1 + bytes / FRAME);
        ChannelFuture future = super.writeData(ctx, streamId, data, padding, last, promise);
        observer.dataWritten(streamId, bytes);
        return future;
    }

    @Override
    public ChannelFuture writeRstStream(ChannelHandlerContext ctx, int streamId, long errorCode, ChannelPromise promise) {
        recent.add(streamId);
        return super.writeRstStream(ctx, streamId, errorCode, counted(ctx, promise));
    }

    @Override
    public ChannelFuture writeSettingsAck(ChannelHandlerContext ctx, ChannelPromise promise) {
        return super.writeSettingsAck(ctx, counted(ctx, promise));
    }

    @Override
    public ChannelFuture writePing(ChannelHandlerContext ctx, boolean ack, long data, ChannelPromise promise) {
        return super.writePing(ctx, ack, data, counted(ctx, promise));
    }

    private ChannelPromise counted(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (exceeded) {
            return promise;
        }
        if (waiting >= MAX_WAITING) {
            // Many may have been written in this very turn: what the peer takes at once does not count.
            ctx.flush();
        }
        if (waiting >= MAX_WAITING) {
            exceeded = true;
            if (lifecycle != null) {
                lifecycle.onError(ctx, true, Abuse.CONTROL_QUEUE_FULL.error());
            }
            return promise;
        }
        waiting++;
        return promise.unvoid().addListener(this);
    }

    @Override
    public void operationComplete(ChannelFuture future) {
        waiting--;
    }
}
