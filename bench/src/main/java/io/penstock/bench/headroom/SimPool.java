package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.proxy.net.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The model servers behind the proxy: a few endpoints with a fixed number of slots each, all on one event loop. Started, changed and closed
 * by one thread.
 */
final class SimPool implements AutoCloseable {

    private final EventLoopGroup group;
    private final List<SimEndpoint> endpoints = new ArrayList<>();
    private final SlotMeter meter = new SlotMeter();
    private final ServiceTimes times;
    private final int slotsEach;
    private volatile Consumer<HttpHeaders> atDispatch = headers -> { };

    SimPool(Transport transport, int count, int slotsEach, ServiceTimes times) {
        this.times = times;
        this.slotsEach = slotsEach;
        group = transport.newGroup(1, "sim-pool");
        EventLoop loop = group.next();
        for (int i = 0; i < count; i++) {
            endpoints.add(new SimEndpoint(loop, transport, slotsEach, this));
        }
    }

    int slots() {
        return endpoints.size() * slotsEach;
    }

    int slotsEach() {
        return slotsEach;
    }

    SlotMeter meter() {
        return meter;
    }

    ServiceTimes times() {
        return times;
    }

    /** Requests a second that all slots together can serve. */
    double capacity() {
        return slots() * 1000 / times.meanMillis();
    }

    /** Asked for further response headers when a request arrives, which is when it was dispatched. */
    Consumer<HttpHeaders> atDispatch() {
        return atDispatch;
    }

    void atDispatch(Consumer<HttpHeaders> headers) {
        atDispatch = headers;
    }

    SimEndpoint endpoint(int index) {
        return endpoints.get(index);
    }

    List<Integer> ports() {
        return endpoints.stream().map(SimEndpoint::port).toList();
    }

    @Override
    public void close() {
        endpoints.forEach(SimEndpoint::kill);
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
