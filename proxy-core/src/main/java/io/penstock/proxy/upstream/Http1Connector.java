package io.penstock.proxy.upstream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.penstock.proxy.codec.HeadCache;
import io.penstock.proxy.codec.RequestEncoder;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.request.UpstreamListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens HTTP/1.1 exchanges with model servers over kept-alive connections of one event loop. {@link #open} is for that loop's thread only,
 * {@link #retain}, {@link #remove} and {@link #close} for any thread.
 *
 * <p>An idle connection is closed when the backend closes its end, when it sends bytes nobody asked for, or after
 * {@code upstream.idleTimeout}, by one scan for the whole loop; a connection past that age is never handed out, whether or not the scan has
 * come by. The limit counts idle connections of all loops, so with a limit near the number of loops one loop's idle connection can make
 * another's request fail with {@link Kind#OVERFLOW}.
 */
public final class Http1Connector implements BackendConnector {

    private static final Logger LOG = LoggerFactory.getLogger(Http1Connector.class);
    /** The scan runs this many times in an idle timeout: at 4 s a connection lives at most 4.5 s, below the 5 s of uvicorn. */
    private static final int SCANS_PER_TIMEOUT = 8;

    private final EventLoop loop;
    private final Sockets sockets;
    private final ConnectionLimit limit;
    private final LongSupplier nanoClock;
    private final UpstreamEvents events;
    private final long idleNanos;
    private final Map<Endpoint, EndpointPool> pools = new HashMap<>();
    /** Those of endpoints that have gone, until their last response is complete. */
    private final Set<EndpointPool> retired = new HashSet<>();
    private final HeadCache headCache = new HeadCache();
    private final RequestEncoder encoder = new RequestEncoder();
    private boolean scanning;
    private boolean closed;

    /**
     * @param loop whose thread opens and runs the exchanges
     * @param transport the one that the loop's group was made with
     * @param config timeouts
     * @param limit shared by the connectors of all loops
     * @param nanoClock a steady clock, nanoseconds
     */
    public Http1Connector(EventLoop loop, Transport transport, ProxyConfig.Upstream config, ConnectionLimit limit, LongSupplier nanoClock,
            UpstreamEvents events) {
        this.loop = loop;
        this.sockets = new Sockets(transport, config.connectTimeout());
        this.limit = limit;
        this.nanoClock = nanoClock;
        this.events = events;
        this.idleNanos = config.idleTimeout().toNanos();
    }

    /**
     * Takes an idle connection, unless one has just died under this request, or makes one.
     * With an idle one {@link UpstreamListener#onConnected} is called before this returns;
     * {@link UpstreamListener#onFailed} never is.
     */
    @Override
    public UpstreamExchange open(Endpoint endpoint, RequestContext context, UpstreamListener listener) {
        assert loop.inEventLoop() : "exchange opened from another thread";
        EndpointPool pool = pools.get(endpoint);
        Http1Connection idle = pool == null || context.wantsFreshConnection() ? null : pool.take(nanoClock.getAsLong() - idleNanos);
        if (idle != null) {
            events.reused(endpoint);
            Http1Exchange exchange = new Http1Exchange(context, listener, idle, true);
            idle.begin(exchange);
            exchange.connected();
            return exchange;
        }
        if (closed) {
            return failing(Kind.CONNECT, context, listener);
        }
        if (!limit.tryOpen(endpoint)) {
            events.overflow(endpoint);
            return failing(Kind.OVERFLOW, context, listener);
        }
        Channel channel;
        try {
            channel = sockets.newChannel();
        } catch (RuntimeException e) {
            // No file descriptor left, most likely.
            LOG.warn("no socket for {}: {}", endpoint.name(), e.toString());
            limit.closed(endpoint);
            events.connectFailed(endpoint);
            return failing(Kind.CONNECT, context, listener);
        }
        return connect(pools.computeIfAbsent(endpoint, EndpointPool::new), channel, context, listener);
    }

    private UpstreamExchange connect(EndpointPool pool, Channel channel, RequestContext context, UpstreamListener listener) {
        Http1Connection connection = new Http1Connection(this, pool, channel, nanoClock.getAsLong());
        Http1Exchange exchange = new Http1Exchange(context, listener, connection, false);
        pool.add(connection);
        connection.begin(exchange);
        connection.connect(loop);
        return exchange;
    }

    /** The failure is told in a later task: the caller has no exchange to compare it with yet. */
    private UpstreamExchange failing(Kind kind, RequestContext context, UpstreamListener listener) {
        Http1Exchange exchange = new Http1Exchange(context, listener, null, false);
        loop.execute(() -> exchange.fail(kind));
        return exchange;
    }

    @Override
    public void retain(Set<Endpoint> endpoints) {
        Set<Endpoint> kept = Set.copyOf(endpoints);
        onLoop(() -> retire(endpoint -> !kept.contains(endpoint)));
    }

    @Override
    public void remove(Endpoint endpoint) {
        onLoop(() -> retire(endpoint::equals));
    }

    /** Closes every connection; running exchanges fail with {@link Kind#CLOSED} and new ones with {@link Kind#CONNECT}. */
    @Override
    public void close() {
        onLoop(() -> {
            closed = true;
            // A copy, here and below: a pool leaves with its last connection.
            List<EndpointPool> all = new ArrayList<>(pools.values());
            all.addAll(retired);
            all.forEach(EndpointPool::closeAll);
        });
    }

    private void retire(Predicate<Endpoint> gone) {
        for (EndpointPool pool : new ArrayList<>(pools.values())) {
            if (gone.test(pool.endpoint())) {
                pools.remove(pool.endpoint());
                retired.add(pool);
                pool.retire();
            }
        }
    }

    private void onLoop(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
        } else if (!loop.isShuttingDown()) {
            // A loop that shuts down closes its channels itself.
            loop.execute(task);
        }
    }

    HeadCache headCache() {
        return headCache;
    }

    RequestEncoder encoder() {
        return encoder;
    }

    /** A connection to the endpoint is up. */
    void opened(EndpointPool pool, long connectStart) {
        events.connected(pool.endpoint(), nanoClock.getAsLong() - connectStart);
    }

    void connectFailed(EndpointPool pool, Throwable cause) {
        events.connectFailed(pool.endpoint());
        LOG.debug("connect to {} failed", pool.endpoint().name(), cause);
    }

    void malformed(EndpointPool pool, String why) {
        events.malformed(pool.endpoint());
        LOG.debug("malformed response of {}: {}", pool.endpoint().name(), why);
    }

    /** A response is complete and the connection good for another request. */
    void idle(EndpointPool pool, Http1Connection connection) {
        connection.idleFrom(nanoClock.getAsLong());
        if (!pool.keep(connection)) {
            connection.close();
            return;
        }
        if (!scanning) {
            scanning = true;
            scheduleScan();
        }
    }

    /** The socket is closed, or never was one. */
    void gone(EndpointPool pool, Http1Connection connection, boolean wasUp) {
        limit.closed(pool.endpoint());
        if (wasUp) {
            events.closed(pool.endpoint());
        }
        if (pool.remove(connection)) {
            pools.remove(pool.endpoint(), pool);
            retired.remove(pool);
        }
    }

    private void scheduleScan() {
        loop.schedule(this::scan, Math.max(idleNanos / SCANS_PER_TIMEOUT, TimeUnit.MILLISECONDS.toNanos(1)), TimeUnit.NANOSECONDS);
    }

    private void scan() {
        long limitNanos = nanoClock.getAsLong() - idleNanos;
        boolean more = false;
        for (EndpointPool pool : new ArrayList<>(pools.values())) {
            more |= pool.closeIdle(limitNanos);
        }
        scanning = more;
        if (more) {
            scheduleScan();
        }
    }
}
