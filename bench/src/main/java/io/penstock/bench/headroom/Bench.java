package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.penstock.proxy.net.Transport;
import java.util.concurrent.TimeUnit;

/**
 * What stays for the whole experiment: the pool of model servers, one event loop for all dispatchers and one for the open load. Any thread.
 */
final class Bench implements AutoCloseable {

    static final int ENDPOINTS = 4;
    static final int SLOTS_EACH = 8;
    static final double VARIATION = 0.5;

    private final Transport transport = Transport.detect(false);
    private final SimPool pool;
    private final EventLoopGroup dispatchers = transport.newGroup(1, "dispatchers");
    private final EventLoopGroup load = transport.newGroup(1, "open-load");

    Bench(double meanMillis) {
        pool = new SimPool(transport, ENDPOINTS, SLOTS_EACH, new ServiceTimes(meanMillis, VARIATION, 7));
    }

    Transport transport() {
        return transport;
    }

    SimPool pool() {
        return pool;
    }

    EventLoop dispatchLoop() {
        return dispatchers.next();
    }

    EventLoop loadLoop() {
        return load.next();
    }

    @Override
    public void close() {
        dispatchers.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        load.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        pool.close();
    }
}
