package io.penstock.proxy.downstream;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.net.RateLimitedLog;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.DownstreamListener;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client ports of the process: binds them, and brings them and their connections to an end. Its methods may be called from any thread
 * but an event loop.
 */
public final class Listeners implements Drainable, AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Listeners.class);
    private static final int LOW_WATER = 32 << 10;
    private static final int HIGH_WATER = 64 << 10;
    private static final long CLOSE_NANOS = 3_000_000_000L;
    /** A round trip across continents, or to a client that is slow to run. */
    private static final long HANDSHAKE_NANOS = 200_000_000L;

    private final Transport transport;
    private final Edge edge;
    private final Map<EventLoop, EdgeLoop> loops = new LinkedHashMap<>();
    private final EventLoopGroup group;
    private final List<Channel> sockets = new ArrayList<>();
    private final List<SslContext> certificates = new ArrayList<>();
    private final Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();

    private Listeners(Edge edge, Transport transport, EventLoopGroup group, Function<EventLoop, DownstreamListener> requests) {
        this.edge = edge;
        this.transport = transport;
        this.group = group;
        for (EventExecutor executor : group) {
            EventLoop loop = (EventLoop) executor;
            loops.put(loop, new EdgeLoop(loop, edge, requests.apply(loop)));
        }
    }

    /**
     * Binds every configured listener on every event loop.
     *
     * @param config the listeners, limits and timeouts
     * @param transport what the group was made by
     * @param group the event loops; the caller shuts them down after {@link #close()}
     * @param requests the request handlers of one event loop; asked once for each, on the calling thread
     * @param events counters
     * @param clock nanoseconds
     * @throws ListenException where a port is taken or a certificate cannot be read; nothing stays bound then
     */
    public static Listeners bind(ProxyConfig config, Transport transport, EventLoopGroup group,
            Function<EventLoop, DownstreamListener> requests, ConnectionEvents events, LongSupplier clock) {
        return bind(config, EdgeTimings.of(config.timeouts().writeStall()), transport, group, requests, events, clock);
    }

    static Listeners bind(ProxyConfig config, EdgeTimings timings, Transport transport, EventLoopGroup group,
            Function<EventLoop, DownstreamListener> requests, ConnectionEvents events, LongSupplier clock) {
        Edge edge = new Edge(config.limits(), timings, new ConnectionLimit(config.limits().maxConnections()), events,
                new RateLimitedLog(LOGGER, clock), clock);
        Listeners listeners = new Listeners(edge, transport, group, requests);
        try {
            for (ProxyConfig.Listener listener : config.listeners()) {
                listeners.open(listener);
            }
        } catch (RuntimeException e) {
            listeners.close();
            throw e;
        }
        return listeners;
    }

    private void open(ProxyConfig.Listener listener) {
        SslContext tls = listener.tls() == null ? null : TlsContexts.server(listener, listener.tls());
        if (tls != null) {
            certificates.add(tls);
        }
        ListenerInitializer initializer = new ListenerInitializer(listener.name(), loops, tls);
        InetSocketAddress address = new InetSocketAddress(listener.address().host(), listener.address().port());
        if (!transport.reusePort()) {
            bind(listener, bootstrap(group, group, initializer), address);
            return;
        }
        probe(listener, address);
        for (EventLoop loop : loops.keySet()) {
            ServerBootstrap bootstrap = bootstrap(loop, loop, initializer).option(UnixChannelOption.SO_REUSEPORT, true);
            address = bind(listener, bootstrap, address);
        }
    }

    /** SO_REUSEPORT would share the port with another process of the same user in silence: ask without it first. */
    private static void probe(ProxyConfig.Listener listener, InetSocketAddress address) {
        if (address.getPort() == 0) {
            return;
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (IOException e) {
            throw failure(listener, e);
        }
    }

    private InetSocketAddress bind(ProxyConfig.Listener listener, ServerBootstrap bootstrap, InetSocketAddress address) {
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw failure(listener, bound.cause());
        }
        sockets.add(bound.channel());
        InetSocketAddress local = (InetSocketAddress) bound.channel().localAddress();
        addresses.put(listener.name(), local);
        return local;
    }

    private static ListenException failure(ProxyConfig.Listener listener, Throwable cause) {
        String what = cause instanceof BindException && String.valueOf(cause.getMessage()).contains("in use") ? "address already in use"
                : String.valueOf(cause.getMessage());
        return new ListenException("listener " + listener.name() + ": " + listener.address() + ": " + what, cause);
    }

    private ServerBootstrap bootstrap(EventLoopGroup acceptor, EventLoopGroup workers, ListenerInitializer initializer) {
        ServerBootstrap bootstrap = new ServerBootstrap().group(acceptor, workers).channel(transport.server())
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(LOW_WATER, HIGH_WATER))
                .childHandler(initializer);
        if (transport.server() == EpollServerSocketChannel.class) {
            bootstrap.childOption(EpollChannelOption.TCP_KEEPIDLE, 60)
                    .childOption(EpollChannelOption.TCP_KEEPINTVL, 10)
                    .childOption(EpollChannelOption.TCP_KEEPCNT, 3);
        }
        return bootstrap;
    }

    /** Where the listener of that name is bound; the port is a real one where the configuration says 0. */
    public InetSocketAddress address(String listener) {
        InetSocketAddress address = addresses.get(listener);
        if (address == null) {
            throw new IllegalArgumentException("listener: " + listener + " (expected: one of " + addresses.keySet() + ")");
        }
        return address;
    }

    /** All listeners by name, with their bound addresses. */
    public Map<String, InetSocketAddress> addresses() {
        return Map.copyOf(addresses);
    }

    /**
     * Closes the listening sockets; open connections stay, and so do those that nobody has looked at yet. Takes a fifth of a second, in
     * which whoever is in the middle of a TCP handshake comes to its end.
     */
    public void stopAccepting() {
        closeSockets(HANDSHAKE_NANOS);
    }

    private synchronized void closeSockets(long handshakeNanos) {
        List<ChannelFuture> closing = new ArrayList<>();
        sockets.forEach(socket -> closing.add(ClosingSocket.close(socket, handshakeNanos)));
        closing.forEach(ChannelFuture::awaitUninterruptibly);
        sockets.clear();
    }

    @Override
    public void startDrain(Duration grace) {
        for (EdgeLoop loop : loops.values()) {
            loop.eventLoop().execute(() -> loop.startDrain(grace));
        }
    }

    @Override
    public int closeNow() {
        return onEachLoop(EdgeLoop::closeNow).stream().mapToInt(Integer::intValue).sum();
    }

    private <T> List<T> onEachLoop(Function<EdgeLoop, T> call) {
        List<Future<T>> answers = new ArrayList<>();
        for (EdgeLoop loop : loops.values()) {
            if (!loop.eventLoop().isShuttingDown()) {
                answers.add(loop.eventLoop().submit(() -> call.apply(loop)));
            }
        }
        List<T> done = new ArrayList<>();
        for (Future<T> answer : answers) {
            if (answer.awaitUninterruptibly().isSuccess()) {
                done.add(answer.getNow());
            }
        }
        return done;
    }

    @Override
    public int openConnections() {
        return edge.connections().open();
    }

    @Override
    public int openRequests() {
        int open = 0;
        for (EdgeLoop loop : loops.values()) {
            open += loop.openRequests();
        }
        return open;
    }

    /** Stops accepting, ends every connection, and waits until they are closed: a second or so where clients do not close theirs. */
    @Override
    public void close() {
        closeSockets(0);
        closeNow();
        long deadline = edge.clock().getAsLong() + CLOSE_NANOS;
        for (List<ChannelFuture> closing : onEachLoop(EdgeLoop::closeFutures)) {
            for (ChannelFuture future : closing) {
                future.awaitUninterruptibly(Math.max(0, deadline - edge.clock().getAsLong()), TimeUnit.NANOSECONDS);
            }
        }
        certificates.forEach(ReferenceCountUtil::release);
        certificates.clear();
    }
}
