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
import java.util.function.LongSupplier;

/**
 * Opens HTTP/1.1 exchanges with model servers over kept-alive connections of one event loop. {@link #open} is for that loop's thread only,
 * {@link #retain}, {@link #remove} and {@link #close} for any thread.
 *
 * <p>An idle connection is closed when the backend closes its end, when it sends bytes nobody asked for, or after
 * {@code upstream.idleTimeout}, by one scan for the whole loop; a connection past that age is never handed out, whether or not the scan has
 * come by. The limit counts idle connections of all loops, so with a limit near the number of loops one loop's idle connection can make
 * another's request fail with {@link Kind#OVERFLOW}.
 */
public final class Http1Connector extends PooledConnector<EndpointPool> {

    private final HeadCache headCache = new HeadCache();
    private final RequestEncoder encoder = new RequestEncoder();

    /**
     * @param loop whose thread opens and runs the exchanges
     * @param transport the one that the loop's group was made with
     * @param config timeouts
     * @param limit shared by the connectors of all loops
     * @param nanoClock a steady clock, nanoseconds
     */
    public Http1Connector(EventLoop loop, Transport transport, ProxyConfig.Upstream config, ConnectionLimit limit, LongSupplier nanoClock,
            UpstreamEvents events) {
        super(loop, transport, config, limit, nanoClock, events);
    }

    /**
     * Takes an idle connection, unless one has just died under this request, or makes one.
     * With an idle one {@link UpstreamListener#onConnected} is called before this returns;
     * {@link UpstreamListener#onFailed} never is.
     */
    @Override
    public UpstreamExchange open(Endpoint endpoint, RequestContext context, UpstreamListener listener) {
        assert loop().inEventLoop() : "exchange opened from another thread";
        EndpointPool pool = pool(endpoint);
        Http1Connection idle = pool == null || context.wantsFreshConnection() ? null : pool.take(now() - idleNanos());
        if (idle != null) {
            events().reused(endpoint);
            Http1Exchange exchange = new Http1Exchange(context, listener, idle, true);
            idle.begin(exchange);
            exchange.connected();
            return exchange;
        }
        if (closed()) {
            return failing(Kind.CONNECT, context, listener);
        }
        if (!tryOpen(endpoint)) {
            events().overflow(endpoint);
            return failing(Kind.OVERFLOW, context, listener);
        }
        Channel channel = socket(endpoint);
        return channel == null ? failing(Kind.CONNECT, context, listener) : connect(poolOf(endpoint), channel, context, listener);
    }

    private UpstreamExchange connect(EndpointPool pool, Channel channel, RequestContext context, UpstreamListener listener) {
        Http1Connection connection = new Http1Connection(this, pool, channel, now());
        Http1Exchange exchange = new Http1Exchange(context, listener, connection, false);
        pool.add(connection);
        connection.begin(exchange);
        connection.connect();
        return exchange;
    }

    /** The failure is told in a later task: the caller has no exchange to compare it with yet. */
    private UpstreamExchange failing(Kind kind, RequestContext context, UpstreamListener listener) {
        Http1Exchange exchange = new Http1Exchange(context, listener, null, false);
        loop().execute(() -> exchange.fail(kind));
        return exchange;
    }

    @Override
    EndpointPool newPool(Endpoint endpoint) {
        return new EndpointPool(endpoint);
    }

    HeadCache headCache() {
        return headCache;
    }

    RequestEncoder encoder() {
        return encoder;
    }

    /** A response is complete and the connection good for another request. */
    void idle(EndpointPool pool, Http1Connection connection) {
        connection.idleFrom(now());
        if (pool.keep(connection)) {
            startScan();
        } else {
            connection.close();
        }
    }

    @Override
    boolean scan(EndpointPool pool, long now) {
        return pool.closeIdle(now - idleNanos());
    }
}
