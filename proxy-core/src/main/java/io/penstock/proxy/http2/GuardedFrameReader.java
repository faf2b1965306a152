package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameReader;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A frame reader whose frames pass a {@link FrameGuard} before the connection decoder sees them. Used on one event loop.
 */
final class GuardedFrameReader implements Http2FrameReader {

    private final Http2FrameReader reader;
    private final FrameWalker walker;
    private final Function<Http2FrameListener, FrameGuard> guards;
    private @Nullable Http2FrameListener decoder;
    private @Nullable FrameGuard guard;

    GuardedFrameReader(Http2FrameReader reader, FrameWalker walker, Function<Http2FrameListener, FrameGuard> guards) {
        this.reader = reader;
        this.walker = walker;
        this.guards = guards;
    }

    @Override
    public void readFrame(ChannelHandlerContext ctx, ByteBuf in, Http2FrameListener listener) throws Http2Exception {
        int from = in.readerIndex();
        try {
            reader.readFrame(ctx, in, guard(listener));
        } finally {
            walker.consumed(in, from, in.readerIndex());
        }
    }

    private FrameGuard guard(Http2FrameListener listener) {
        FrameGuard current = guard;
        if (current == null || decoder != listener) {
            // The decoder swaps its listener once, when the first SETTINGS frame has come.
            current = current == null ? guards.apply(listener) : current.retarget(listener);
            guard = current;
            decoder = listener;
        }
        return current;
    }

    @Override
    public Configuration configuration() {
        return reader.configuration();
    }

    @Override
    public void close() {
        reader.close();
    }
}
