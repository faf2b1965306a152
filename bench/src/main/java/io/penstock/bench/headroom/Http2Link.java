package io.penstock.bench.headroom;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One connection of an {@link Http2Wire}: streams out, heads and ends in. One event loop. */
final class Http2Link extends Http2ChannelDuplexHandler {

    private final Http2Wire wire;
    private final Map<Http2FrameStream, Exchange> exchanges = new IdentityHashMap<>();
    private @Nullable ChannelHandlerContext context;
    private long maxStreams;
    private boolean open;
    private boolean retired;
    private boolean flushing;

    Http2Link(Http2Wire wire) {
        this.wire = wire;
    }

    int room() {
        return retired ? 0 : (int) Math.max(0, maxStreams - exchanges.size());
    }

    Wire.Sent send(Wire.Request request, Wire.Reply reply) {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            throw new IllegalStateException("connection: not active (expected: asked for room before)");
        }
        Http2FrameStream stream = newStream();
        Exchange exchange = new Exchange(stream, reply);
        exchanges.put(stream, exchange);
        ctx.write(new DefaultHttp2HeadersFrame(Requests.http2(request), false).stream(stream)).addListener(written -> {
            if (!written.isSuccess()) {
                // A later turn, so that no reply comes while it is being sent.
                ctx.executor().execute(() -> finish(exchange, retired ? Outcome.UNPROCESSED : Outcome.FAILED));
            }
        });
        ctx.write(new DefaultHttp2DataFrame(Requests.body(), true).stream(stream));
        flushSoon(ctx);
        return exchange;
    }

    /** One flush for all that one turn sends. */
    private void flushSoon(ChannelHandlerContext ctx) {
        if (!flushing) {
            flushing = true;
            ctx.executor().execute(() -> {
                flushing = false;
                ctx.flush();
            });
        }
    }

    void close() {
        if (context != null) {
            context.close();
        }
    }

    @Override
    protected void handlerAdded0(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            if (message instanceof Http2HeadersFrame frame) {
                head(frame);
            } else if (message instanceof Http2DataFrame frame) {
                data(ctx, frame);
            } else if (message instanceof Http2ResetFrame frame) {
                finish(exchanges.get(frame.stream()),
                        frame.errorCode() == Http2Error.REFUSED_STREAM.code() ? Outcome.UNPROCESSED : Outcome.FAILED);
            } else if (message instanceof Http2GoAwayFrame frame) {
                goAway(frame.lastStreamId());
            } else if (message instanceof Http2SettingsFrame frame) {
                settings(frame.settings().maxConcurrentStreams());
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void settings(@Nullable Long limit) {
        if (limit != null) {
            maxStreams = limit;
        } else if (!open) {
            maxStreams = Integer.MAX_VALUE;
        }
        if (!open) {
            open = true;
            wire.opened(this);
        }
    }

    private void head(Http2HeadersFrame frame) {
        Exchange exchange = exchanges.get(frame.stream());
        if (exchange == null) {
            return;
        }
        Http2Headers headers = frame.headers();
        CharSequence status = headers.status();
        if (status != null && HttpStatusClass.valueOf(status) != HttpStatusClass.INFORMATIONAL) {
            exchange.reply.head(Answer.read(Integer.parseInt(status.toString()), headers::get, wire.settings().headroomName()));
        }
        if (frame.isEndStream()) {
            finish(exchange, Outcome.DONE);
        }
    }

    private void data(ChannelHandlerContext ctx, Http2DataFrame frame) {
        ctx.write(new DefaultHttp2WindowUpdateFrame(frame.initialFlowControlledBytes()).stream(frame.stream()));
        flushSoon(ctx);
        if (frame.isEndStream()) {
            finish(exchanges.get(frame.stream()), Outcome.DONE);
        }
    }

    /** What lies above the last stream was not looked at, and may be sent again at no risk (RFC 9113 section 6.8). */
    private void goAway(int lastStreamId) {
        retired = true;
        for (Exchange exchange : List.copyOf(exchanges.values())) {
            if (exchange.stream.id() > lastStreamId || exchange.stream.id() < 0) {
                finish(exchange, Outcome.UNPROCESSED);
            }
        }
        wire.retired(this);
        closeWhenIdle();
    }

    private void finish(@Nullable Exchange exchange, Outcome outcome) {
        if (exchange != null && exchanges.remove(exchange.stream, exchange)) {
            exchange.reply.end(outcome);
            closeWhenIdle();
        }
    }

    private void closeWhenIdle() {
        if (retired && exchanges.isEmpty()) {
            close();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        wire.turn();
        ctx.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        retired = true;
        List.copyOf(exchanges.values()).forEach(exchange -> finish(exchange, Outcome.FAILED));
        wire.gone(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof Http2FrameStreamException one) {
            finish(exchanges.get(one.stream()), Outcome.FAILED);
        } else {
            ctx.close();
        }
    }

    /** One stream. */
    private final class Exchange implements Wire.Sent {

        private final Http2FrameStream stream;
        private final Wire.Reply reply;

        Exchange(Http2FrameStream stream, Wire.Reply reply) {
            this.stream = stream;
            this.reply = reply;
        }

        @Override
        public void cancel() {
            ChannelHandlerContext ctx = context;
            if (exchanges.remove(stream, this) && ctx != null) {
                ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(stream));
                closeWhenIdle();
            }
        }
    }
}
