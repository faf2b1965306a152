package io.penstock.bench.load;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.penstock.proxy.net.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A backend that costs next to nothing: answers encoded beforehand, one event loop, several ports on loopback. Every port speaks HTTP/1.1
 * with keep-alive and HTTP/2 by prior knowledge, told apart by the first byte, so that one endpoint serves a proxy's requests over either
 * and its scrapes over HTTP/1.1. What a request gets is said by its path: see {@link #completionPath} and {@link #streamPath}. Started
 * and closed on the caller's thread; everything else happens on its loop.
 */
public final class BackendStub implements AutoCloseable {

    private static final int BACKLOG = 4096;

    private final EventLoopGroup group;
    private final StubAnswers answers = new StubAnswers();
    private final List<Channel> listening = new ArrayList<>();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    private BackendStub(Transport transport, int ports) {
        group = transport.newGroup(1, "bench-stub");
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(transport.server()).option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true).childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new FirstByte());
                    }
                });
        for (int i = 0; i < ports; i++) {
            listening.add(bootstrap.bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly().channel());
        }
    }

    /** A running stub that listens on this many free ports of 127.0.0.1, at least 1. */
    public static BackendStub start(int ports) {
        return new BackendStub(Transport.detect(false), ports);
    }

    /** The ports that it listens on, in a fixed order. */
    public List<Integer> ports() {
        return listening.stream().map(channel -> ((InetSocketAddress) channel.localAddress()).getPort()).toList();
    }

    /** The path of one fixed JSON answer after this many milliseconds, 0 or more. */
    public static String completionPath(int delayMillis) {
        return delayMillis == 0 ? "/v1/completions" : "/v1/completions?delay=" + delayMillis;
    }

    /** The path of this many server-sent events, 1 or more, one each so many milliseconds; 0 for as fast as they are taken. */
    public static String streamPath(int events, int everyMillis) {
        return "/stream?events=" + events + "&every=" + everyMillis;
    }

    /** Bytes of one server-sent event, without what a protocol puts around it. */
    public static int eventBytes() {
        return StubAnswers.EVENT.length();
    }

    /** Requests whose last byte has come, those for metrics left out. */
    public long requests() {
        return requests.get();
    }

    /** Closes all sockets and ends the loop; returns when that has happened. The second call does nothing. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        answers.release();
    }

    /** Waits for a connection's first byte and puts the handler of its protocol in its own place. */
    private final class FirstByte extends ByteToMessageDecoder {
        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            // No HTTP/1.1 request that is measured begins with a P and an R: methods here are GET and POST.
            int needed = in.getByte(in.readerIndex()) == 'P' ? 2 : 1;
            if (in.readableBytes() < needed) {
                return;
            }
            boolean http2 = needed == 2 && in.getByte(in.readerIndex() + 1) == 'R';
            if (!http2) {
                context.pipeline().replace(this, "http1", new StubHttp1(answers, requests));
                return;
            }
            if (in.readableBytes() < StubHttp2.PREFACE_BYTES) {
                return;
            }
            in.skipBytes(StubHttp2.PREFACE_BYTES);
            context.pipeline().replace(this, "http2", new StubHttp2(answers, requests));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
