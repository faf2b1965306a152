package io.penstock.proxy.demo;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.penstock.proxy.net.Transport;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A simulated vLLM server over HTTP/1.1 (contract section 1, spec/routing section 8): so many requests run, so many wait, the next gets
 * 429, and a client that leaves gives its slot back at once, as with vLLM itself. It runs on one event loop; every method here may be
 * called from any other thread.
 */
public final class SimServer implements AutoCloseable {

    private final SimOptions options;
    private final @Nullable EventLoopGroup own;
    private final BackendServer server;
    private final SimApp app;

    private SimServer(SimOptions options, EventLoopGroup group, @Nullable EventLoopGroup own, Transport transport,
            InetSocketAddress address) {
        this.options = options;
        this.own = own;
        EventLoop loop = group.next();
        this.app = new SimApp(world(options, loop));
        this.server = new BackendServer(loop, transport, address, options.keepAlive(), app);
    }

    /**
     * Starts a server with an event loop of its own.
     *
     * @param port 0 takes any free one
     * @throws IllegalStateException when the address cannot be bound
     */
    public static SimServer start(SimOptions options, String host, int port) {
        Transport transport = Transport.detect(false);
        EventLoopGroup group = transport.newGroup(1, "sim");
        return start(new SimServer(options, group, group, transport, new InetSocketAddress(host, port)));
    }

    /** Starts a server on one event loop of a group that the caller shuts down, after closing the server. */
    public static SimServer start(SimOptions options, String host, int port, EventLoopGroup group, Transport transport) {
        return start(new SimServer(options, group, null, transport, new InetSocketAddress(host, port)));
    }

    private static SimServer start(SimServer sim) {
        try {
            sim.server.listen();
            return sim;
        } catch (IllegalStateException unbound) {
            sim.close();
            throw unbound;
        }
    }

    private static SimWorld world(SimOptions options, EventLoop loop) {
        SimClock clock = new SimClock(loop, Clock.systemUTC());
        SimEngine engine = new SimEngine(options.maxNumSeqs(), options.maxWaitingQueueLength());
        SimMetrics metrics = new SimMetrics(options, engine, clock.seconds());
        Random random = options.seed().isPresent() ? new Random(options.seed().getAsLong()) : new Random();
        return new SimWorld(options, engine, metrics, clock, random, new SimHttp(clock, options));
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.address();
    }

    public int port() {
        return address().getPort();
    }

    public SimOptions options() {
        return options;
    }

    /** Requests that hold a slot at this moment. */
    public int running() {
        return app.engine().runningCount();
    }

    /** Requests that wait for a slot at this moment. */
    public int waiting() {
        return app.engine().waitingCount();
    }

    /** The three gauges of the metrics page say this from now on; null for the truth. Holds when this returns. */
    public void fakeMetrics(@Nullable FakeMetrics values) {
        server.loop().submit(() -> app.fake(values)).syncUninterruptibly();
    }

    /** Refuses new connections and resets those that exist, as a process that dies does; {@link #revive()} undoes it. */
    public void kill() {
        server.refuse();
        server.dropConnections(true);
    }

    /** Listens again on the same port. */
    public void revive() {
        server.listen();
    }

    @Override
    public void close() {
        server.close();
        if (own != null) {
            own.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
