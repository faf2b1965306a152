package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2PromisedRequestVerifier;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Netty's own HTTP/2 as a server that answers nothing, and what it hears, in {@link SessionHarness}'s words. One thread. */
final class NettyReference extends Http2EventAdapter {

    final List<String> events = new ArrayList<>();
    @Nullable Http2Error failure;
    private final Set<Integer> begun = new HashSet<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    NettyReference() {
        Http2Connection connection = new DefaultHttp2Connection(true);
        connection.remote().maxActiveStreams(100);
        connection.local().flowController(new DefaultHttp2LocalFlowController(connection, 0.5f, true));
        Http2ConnectionEncoder encoder = new DefaultHttp2ConnectionEncoder(connection, new DefaultHttp2FrameWriter());
        Http2ConnectionDecoder decoder = new DefaultHttp2ConnectionDecoder(connection, encoder,
                new DefaultHttp2FrameReader(new DefaultHttp2HeadersDecoder(true, 8 << 10), 16), Http2PromisedRequestVerifier.ALWAYS_VERIFY,
                true, true, true, true);
        decoder.frameListener(this);
        channel.pipeline().addLast(new Handler(decoder, encoder));
    }

    private final class Handler extends Http2ConnectionHandler {

        Handler(Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder) {
            super(decoder, encoder, new Http2Settings(), true, false);
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
            super.handlerAdded(ctx);
            decoder().flowController().incrementWindowSize(connection().connectionStream(), (1 << 20) - SessionOptions.DEFAULT_WINDOW);
        }

        @Override
        protected void onConnectionError(ChannelHandlerContext ctx, boolean outbound, Throwable cause, @Nullable Http2Exception error) {
            failure = error == null ? Http2Error.INTERNAL_ERROR : error.error();
            super.onConnectionError(ctx, outbound, cause, error);
        }
    }

    void feed(byte[] bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
    }

    void close() {
        channel.finishAndReleaseAll();
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int id, Http2Headers headers, int dependency, short weight, boolean exclusive,
            int padding, boolean last) {
        if (begun.add(id)) {
            events.add("head " + id + " " + headers.path() + (last ? " last" : ""));
        } else {
            events.add("trailers " + id + " " + headers.size());
        }
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int id, ByteBuf data, int padding, boolean last) {
        if (data.isReadable() || last) {
            events.add("data " + id + " " + data.readableBytes() + (last ? " last" : ""));
        }
        return data.readableBytes() + padding;
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int id, long code) {
        events.add("reset " + id + " " + code);
    }
}
