package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.STREAM_CLOSED;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;
import static io.netty.handler.codec.http2.Http2Stream.State.HALF_CLOSED_REMOTE;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.function.LongSupplier;

/**
 * Stands between the frame reader and the connection decoder: charges every frame to the {@link FrameBudget}, turns two of the decoder's
 * answers into what RFC 9113 section 5.1 asks for, and drops what a peer sent on streams that we reset or refused before it could know.
 * Used on one event loop.
 */
final class FrameGuard extends Http2FrameListenerDecorator {

    private final Http2Connection connection;
    private final FrameBudget budget;
    private final ResetBudget resets;
    private final RecentResets recent;
    private final LongSupplier clock;
    private int highest;

    FrameGuard(Http2FrameListener decoder, Http2Connection connection, FrameBudget budget, ResetBudget resets, RecentResets recent,
            LongSupplier clock) {
        super(decoder);
        this.connection = connection;
        this.budget = budget;
        this.resets = resets;
        this.recent = recent;
        this.clock = clock;
    }

    /** The same guard, its counts kept, before another listener. */
    FrameGuard retarget(Http2FrameListener decoder) {
        FrameGuard guard = new FrameGuard(decoder, connection, budget, resets, recent, clock);
        guard.highest = highest;
        return guard;
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean last)
            throws Http2Exception {
        if (takesHeaders(streamId)) {
            super.onHeadersRead(ctx, streamId, headers, padding, last);
        }
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int streamId, Http2Headers headers, int dependency, short weight,
            boolean exclusive, int padding, boolean last) throws Http2Exception {
        if (takesHeaders(streamId)) {
            super.onHeadersRead(ctx, streamId, headers, dependency, weight, exclusive, padding, last);
        }
    }

    private boolean takesHeaders(int streamId) throws Http2Exception {
        Http2Stream stream = connection.stream(streamId);
        if (stream != null) {
            if (stream.state() == HALF_CLOSED_REMOTE && !stream.isResetSent()) {
                throw streamError(streamId, STREAM_CLOSED, "HEADERS after END_STREAM on stream %d", streamId);
            }
            return true;
        }
        if (streamId > highest) {
            highest = streamId;
            budget.streamOpened();
            return true;
        }
        if (recent.contains(streamId) || refused(streamId)) {
            return false;
        }
        throw connectionError(STREAM_CLOSED, "HEADERS on the closed stream %d", streamId);
    }

    /** The connection does not count a stream that it refused as one that ever existed. */
    private boolean refused(int streamId) {
        return streamId > 0 && streamId <= highest && (streamId & 1) == 1 && !connection.streamMayHaveExisted(streamId);
    }

    private boolean gone(int streamId) {
        return connection.stream(streamId) == null && (recent.contains(streamId) || refused(streamId));
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean last) throws Http2Exception {
        budget.data(data.readableBytes(), last, clock);
        if (gone(streamId)) {
            // The connection's window is charged and refilled at once; the stream has none any more.
            connection.local().flowController().receiveFlowControlledFrame(null, data, padding, last);
            return data.readableBytes() + padding;
        }
        return super.onDataRead(ctx, streamId, data, padding, last);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode) throws Http2Exception {
        resets.resetFrame(clock.getAsLong());
        if (!gone(streamId)) {
            super.onRstStreamRead(ctx, streamId, errorCode);
        }
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int increment) throws Http2Exception {
        budget.windowUpdate();
        if (!gone(streamId)) {
            super.onWindowUpdateRead(ctx, streamId, increment);
        }
    }

    @Override
    public void onPriorityRead(ChannelHandlerContext ctx, int streamId, int dependency, short weight, boolean exclusive)
            throws Http2Exception {
        budget.priority();
        super.onPriorityRead(ctx, streamId, dependency, weight, exclusive);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) throws Http2Exception {
        budget.settings(clock.getAsLong());
        super.onSettingsRead(ctx, settings);
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext ctx) throws Http2Exception {
        budget.unknown(clock.getAsLong());
        resets.limitKnown();
        super.onSettingsAckRead(ctx);
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
        budget.ping(clock.getAsLong());
        super.onPingRead(ctx, data);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
        budget.unknown(clock.getAsLong());
        super.onPingAckRead(ctx, data);
    }

    @Override
    public void onUnknownFrame(ChannelHandlerContext ctx, byte frameType, int streamId, Http2Flags flags, ByteBuf payload)
            throws Http2Exception {
        budget.unknown(clock.getAsLong());
        super.onUnknownFrame(ctx, frameType, streamId, flags, payload);
    }
}
