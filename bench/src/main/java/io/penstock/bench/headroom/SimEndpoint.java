package io.penstock.bench.headroom;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpServerCodec;
import io.penstock.proxy.net.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * One simulated model server: a number of slots, a queue behind them that a proxy which keeps its limit never fills, and answers that come
 * as a whole when the slot is done. One event loop; {@link #kill} and {@link #revive} wait for it, and are called from another thread.
 */
final class SimEndpoint {

    private final EventLoop loop;
    private final Transport transport;
    private final int slots;
    private final SimPool pool;
    private final ChannelGroup connections;
    private final Deque<SimExchange> waiting = new ArrayDeque<>();
    private int busy;
    private Channel listening;
    private final int port;

    SimEndpoint(EventLoop loop, Transport transport, int slots, SimPool pool) {
        this.loop = loop;
        this.transport = transport;
        this.slots = slots;
        this.pool = pool;
        connections = new DefaultChannelGroup(loop);
        listening = bind(0);
        port = ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private Channel bind(int port) {
        return new ServerBootstrap().group(loop).channel(transport.server()).option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connections.add(channel);
                        channel.pipeline().addLast(new HttpServerCodec(), new SimExchange(SimEndpoint.this));
                    }
                }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).syncUninterruptibly().channel();
    }

    int port() {
        return port;
    }

    SimPool pool() {
        return pool;
    }

    /** A request has come in whole. */
    void arrived(SimExchange exchange) {
        if (busy < slots) {
            run(exchange);
        } else {
            pool.meter().beyond();
            waiting.add(exchange);
        }
    }

    private void run(SimExchange exchange) {
        busy++;
        pool.meter().taken();
        exchange.job = loop.schedule(() -> {
            exchange.job = null;
            free();
            exchange.answer();
        }, pool.times().nextFrom(System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private void free() {
        busy--;
        pool.meter().freed();
        SimExchange next = waiting.poll();
        if (next != null) {
            run(next);
        }
    }

    /** The proxy has gone away. */
    void abandoned(SimExchange exchange) {
        if (exchange.job != null && exchange.job.cancel(false)) {
            exchange.job = null;
            free();
        } else {
            waiting.remove(exchange);
        }
    }

    /** Dies: no new connections, all others cut. */
    void kill() {
        listening.close().syncUninterruptibly();
        connections.close().syncUninterruptibly();
    }

    /** Listens again where it did. */
    void revive() {
        listening = bind(port);
    }
}
