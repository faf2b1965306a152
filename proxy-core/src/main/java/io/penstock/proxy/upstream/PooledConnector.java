package io.penstock.proxy.upstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.net.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the connectors of both protocols have in common: a pool for each endpoint, which comes with its first connection and leaves with its
 * last, whether or not its endpoint is still there; the limit; and the scan for what is idle. {@link #retain}, {@link #remove} and
 * {@link #close} are for any thread, the rest for the loop's.
 *
 * @param <P> an endpoint's pool
 */
abstract class PooledConnector<P extends ConnectionPool<?>> implements BackendConnector {

    private static final Logger LOG = LoggerFactory.getLogger(PooledConnector.class);
    /** The scan runs this many times in an idle timeout: at 4 s a connection lives at most 4.5 s, below the 5 s of uvicorn. */
    private static final int SCANS_PER_TIMEOUT = 8;

    private final EventLoop loop;
    private final Sockets sockets;
    private final ConnectionLimit limit;
    private final LongSupplier nanoClock;
    private final UpstreamEvents events;
    private final long idleNanos;
    private final Map<Endpoint, P> pools = new HashMap<>();
    /** Those of endpoints that have gone, until their last response is complete. */
    private final Set<P> retired = new HashSet<>();
    private boolean scanning;
    private boolean closed;

    PooledConnector(EventLoop loop, Transport transport, ProxyConfig.Upstream config, ConnectionLimit limit, LongSupplier nanoClock,
            UpstreamEvents events) {
        this.loop = loop;
        this.sockets = new Sockets(transport, config.connectTimeout());
        this.limit = limit;
        this.nanoClock = nanoClock;
        this.events = events;
        this.idleNanos = config.idleTimeout().toNanos();
    }

    final EventLoop loop() {
        return loop;
    }

    final UpstreamEvents events() {
        return events;
    }

    final long now() {
        return nanoClock.getAsLong();
    }

    final long idleNanos() {
        return idleNanos;
    }

    final boolean closed() {
        return closed;
    }

    // -- connections that come

    /** Null while there is no connection to the endpoint. */
    final @Nullable P pool(Endpoint endpoint) {
        return pools.get(endpoint);
    }

    final P poolOf(Endpoint endpoint) {
        return pools.computeIfAbsent(endpoint, this::newPool);
    }

    abstract P newPool(Endpoint endpoint);

    /** Takes one of the connections that the endpoint may have; false when there is none left. */
    final boolean tryOpen(Endpoint endpoint) {
        return limit.tryOpen(endpoint);
    }

    /** A socket for a connection that {@link #tryOpen} has allowed; null when there is none, and the connection is given back. */
    final @Nullable Channel socket(Endpoint endpoint) {
        try {
            return sockets.newChannel();
        } catch (RuntimeException e) {
            // No file descriptor left, most likely.
            LOG.warn("no socket for {}: {}", endpoint.name(), e.toString());
            limit.closed(endpoint);
            events.connectFailed(endpoint);
            return null;
        }
    }

    /**
     * Registers and connects a socket, in a task of its own: a connect can fail on the spot, and an exchange does not fail before open()
     * has returned. Nor is it registered before that: what the loop still has to tell of a socket that closed just now, it tells whoever
     * has its descriptor since.
     *
     * @param wanted asked in that task: a socket that has been given up is let be
     * @param done told of the connect, or that the loop has not taken the socket
     */
    final void connect(P pool, Channel channel, BooleanSupplier wanted, ChannelFutureListener done) {
        loop.execute(() -> {
            if (!wanted.getAsBoolean()) {
                return;
            }
            ChannelFutureListener registered = result -> {
                if (result.isSuccess()) {
                    channel.connect(pool.endpoint().address()).addListener(done);
                } else {
                    done.operationComplete(result);
                }
            };
            loop.register(channel).addListener(registered);
        });
    }

    /** A connection to the endpoint is up. */
    final void opened(P pool, long connectStart) {
        events.connected(pool.endpoint(), now() - connectStart);
    }

    final void connectFailed(P pool, Throwable cause) {
        events.connectFailed(pool.endpoint());
        LOG.debug("connect to {} failed", pool.endpoint().name(), cause);
    }

    final void malformed(P pool, String why) {
        events.malformed(pool.endpoint());
        LOG.debug("malformed response of {}: {}", pool.endpoint().name(), why);
    }

    // -- connections that go

    /** A socket is closed, or never was one. */
    final void gone(P pool, boolean last, boolean wasUp) {
        limit.closed(pool.endpoint());
        if (wasUp) {
            events.closed(pool.endpoint());
        }
        if (last) {
            pools.remove(pool.endpoint(), pool);
            retired.remove(pool);
        }
    }

    @Override
    public final void retain(Set<Endpoint> endpoints) {
        Set<Endpoint> kept = Set.copyOf(endpoints);
        onLoop(() -> retire(endpoint -> !kept.contains(endpoint)));
    }

    @Override
    public final void remove(Endpoint endpoint) {
        onLoop(() -> retire(endpoint::equals));
    }

    private void retire(Predicate<Endpoint> gone) {
        for (P pool : new ArrayList<>(pools.values())) {
            if (gone.test(pool.endpoint())) {
                pools.remove(pool.endpoint());
                retired.add(pool);
                pool.retire();
            }
        }
    }

    /** Closes every connection; running exchanges and new ones fail. */
    @Override
    public final void close() {
        onLoop(() -> {
            closed = true;
            all().forEach(ConnectionPool::closeAll);
        });
    }

    /** A copy: a pool leaves with its last connection. */
    private List<P> all() {
        List<P> all = new ArrayList<>(pools.values());
        all.addAll(retired);
        return all;
    }

    private void onLoop(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
        } else if (!loop.isShuttingDown()) {
            // A loop that shuts down closes its channels itself.
            loop.execute(task);
        }
    }

    // -- the scan

    /** There is something that the scan is to look at; it goes on until it finds nothing. */
    final void startScan() {
        if (!scanning) {
            scanning = true;
            scheduleScan();
        }
    }

    private void scheduleScan() {
        loop.schedule(this::scanAll, Math.max(idleNanos / SCANS_PER_TIMEOUT, TimeUnit.MILLISECONDS.toNanos(1)), TimeUnit.NANOSECONDS);
    }

    private void scanAll() {
        boolean more = false;
        for (P pool : all()) {
            more |= scan(pool, now());
        }
        scanning = more;
        if (more) {
            scheduleScan();
        }
    }

    /** Closes what has been idle for too long; true when the pool is to be looked at again. */
    abstract boolean scan(P pool, long now);
}
