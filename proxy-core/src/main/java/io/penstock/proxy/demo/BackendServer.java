package io.penstock.proxy.demo;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.penstock.proxy.net.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The small HTTP/1.1 server under the simulator and the scripted backend: it listens, reads requests, lets the application write raw
 * bytes, and can stop listening and come back on the same port. One event loop serves the listener and all its connections, so that the
 * application needs no locks; the methods here may be called from any other thread.
 */
final class BackendServer implements AutoCloseable {

    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 << 10, 256 << 10);

    private final BackendApp app;
    private final ServerBootstrap bootstrap;
    private final EventLoop loop;
    private final Set<Channel> channels = new LinkedHashSet<>();
    private volatile InetSocketAddress address;
    private @Nullable Channel listener;
    private volatile long idleTimeoutNanos;
    private volatile boolean stopped;
    private long connections;

    /**
     * @param group one of its event loops serves everything; the caller shuts it down
     * @param address where to listen; port 0 takes any free one
     * @param idleTimeout after which an idle connection is closed, zero for never
     */
    BackendServer(EventLoopGroup group, Transport transport, InetSocketAddress address, Duration idleTimeout, BackendApp app) {
        this.app = app;
        this.address = address;
        this.idleTimeoutNanos = idleTimeout.toNanos();
        this.loop = group.next();
        this.bootstrap = new ServerBootstrap().group(loop, loop).channel(transport.server())
                .option(ChannelOption.SO_BACKLOG, 4096)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connections++;
                        channel.pipeline().addLast(new HttpRequestDecoder(new HttpDecoderConfig().setMaxHeaderSize(MAX_HEADER_BYTES)
                                .setMaxInitialLineLength(MAX_HEADER_BYTES).setValidateHeaders(false)));
                        channel.pipeline().addLast(new BackendConnection(BackendServer.this, connections));
                    }
                });
    }

    BackendApp app() {
        return app;
    }

    EventLoop loop() {
        return loop;
    }

    long idleTimeoutNanos() {
        return idleTimeoutNanos;
    }

    /** Holds for connections that become idle from now on. */
    void idleTimeout(Duration timeout) {
        idleTimeoutNanos = timeout.toNanos();
    }

    InetSocketAddress address() {
        return address;
    }

    /**
     * Starts to listen, or comes back on the port it had; nothing happens when it listens already.
     *
     * @throws IllegalStateException when the address cannot be bound; the message says which
     */
    synchronized void listen() {
        if (listener != null) {
            return;
        }
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        Throwable cause = bound.cause();
        if (cause != null) {
            String said = String.valueOf(cause.getMessage());
            String why = said.contains("in use") ? "address already in use" : said;
            throw new IllegalStateException(address.getHostString() + ':' + address.getPort() + ": " + why, cause);
        }
        listener = bound.channel();
        address = (InetSocketAddress) bound.channel().localAddress();
    }

    /** New connections are refused; those that exist go on. */
    synchronized void refuse() {
        Channel open = listener;
        listener = null;
        if (open != null) {
            open.close().awaitUninterruptibly();
        }
    }

    /** Ends every connection that exists, with a RST or a FIN. */
    void dropConnections(boolean reset) {
        loop.submit(() -> {
            for (Channel channel : new ArrayList<>(channels)) {
                if (reset) {
                    channel.config().setOption(ChannelOption.SO_LINGER, 0);
                }
                channel.close();
            }
        }).awaitUninterruptibly();
    }

    void opened(Channel channel) {
        if (stopped) {
            channel.close();
            return;
        }
        channels.add(channel);
        app.connected();
    }

    void ended(Channel channel) {
        if (channels.remove(channel)) {
            app.disconnected();
        }
    }

    /** Stops listening and ends every connection; the event loop belongs to whoever gave it. */
    @Override
    public void close() {
        stopped = true;
        refuse();
        if (!loop.isShuttingDown()) {
            dropConnections(false);
        }
    }
}
