package io.penstock.proxy.testkit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A plain Netty server that the kit itself is tried on: it answers every HTTP/2 request with a greeting and the body it got. */
final class TinyServer implements AutoCloseable {

    static final String GREETING = "hello, ";
    /** A request header that asks for a 103 before the answer and a trailer after it. */
    static final String MORE = "x-more";

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ChannelGroup connected = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final @Nullable SslContext tls;
    private final Channel listener;

    private TinyServer(@Nullable SslContext tls) {
        this.tls = tls;
        ChannelInitializer<Channel> connections = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                connected.add(channel);
                if (tls != null) {
                    channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                }
                Http2Settings settings = Http2Settings.defaultSettings().maxHeaderListSize(64 * 1024);
                channel.pipeline().addLast(Http2FrameCodecBuilder.forServer().initialSettings(settings)
                                .gracefulShutdownTimeoutMillis(0).build(),
                        new Http2MultiplexHandler(new Echoes()), new Quiet());
            }
        };
        listener = new ServerBootstrap().group(loops).channel(NioServerSocketChannel.class).childHandler(connections)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    static TinyServer plain() {
        return new TinyServer(null);
    }

    static TinyServer tls(TestTls certificate) throws Exception {
        return new TinyServer(SslContextBuilder.forServer(certificate.bundle().toKeyManagerFactory())
                .applicationProtocolConfig(new ApplicationProtocolConfig(ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT, ApplicationProtocolNames.HTTP_2)).build());
    }

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        connected.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
        // OpenSSL contexts hold key material outside the heap until they are released.
        ReferenceCountUtil.release(tls);
    }

    /** What clients break on purpose is no news; the codec closes the connection by itself. */
    private static final class Quiet extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        }
    }

    private static final class Echoes extends ChannelInitializer<Channel> {

        @Override
        protected void initChannel(Channel stream) {
            stream.pipeline().addLast(new Echo());
        }
    }

    private static final class Echo extends SimpleChannelInboundHandler<Http2StreamFrame> {

        private final ByteBuf body = Unpooled.buffer();
        private boolean more;

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Http2StreamFrame frame) {
            if (frame instanceof Http2DataFrame data) {
                body.writeBytes(data.content());
                if (data.isEndStream()) {
                    answer(ctx);
                }
            } else if (frame instanceof Http2HeadersFrame head) {
                more |= head.headers().contains(MORE);
                if (head.isEndStream()) {
                    answer(ctx);
                }
            }
        }

        private void answer(ChannelHandlerContext ctx) {
            if (more) {
                ctx.write(new DefaultHttp2HeadersFrame(status("103").add("link", "</style.css>"), false));
            }
            ctx.write(new DefaultHttp2HeadersFrame(status("200").add("x-twice", "a").add("x-twice", "b"), false));
            ByteBuf answer = ctx.alloc().buffer();
            answer.writeCharSequence(GREETING, StandardCharsets.US_ASCII);
            ctx.writeAndFlush(new DefaultHttp2DataFrame(answer.writeBytes(body), !more));
            if (more) {
                ctx.writeAndFlush(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().add("x-trailer", "end"), true));
            }
        }

        private static Http2Headers status(String status) {
            return new DefaultHttp2Headers().status(status);
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            body.release();
        }
    }
}
