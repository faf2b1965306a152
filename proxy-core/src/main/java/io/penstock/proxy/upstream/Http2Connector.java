package io.penstock.proxy.upstream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.penstock.proxy.codec.ResponseParser;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.http2.SessionOptions;
import io.penstock.proxy.net.RateLimitedLog;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestIds;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.request.UpstreamListener;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens exchanges with model servers as streams of HTTP/2 connections in cleartext, by prior knowledge (RFC 9113 section 3.3): for each
 * endpoint one connection of this event loop, and a further one when those there are carry as many requests as they may. {@link #open} is
 * for the loop's thread only, the rest for any thread.
 *
 * <p>A connection carries what the backend's SETTINGS allow, at most {@link #MAX_STREAMS}. It is closed with a GOAWAY after
 * {@code upstream.idleTimeout} without a request. While requests run and nothing comes in for {@link #QUIET_NANOS} the backend is asked
 * with a PING; without any byte for as long again the connection is taken for dead.
 */
final class Http2Connector extends PooledConnector<Http2Pool> {

    /** Requests on one connection at once, whatever more the backend allows (spec/edge section 1.6). */
    static final int MAX_STREAMS = 100;
    /** Longer than a busy model server's event loop stalls. */
    static final long QUIET_NANOS = Duration.ofSeconds(15).toNanos();

    private static final Logger LOG = LoggerFactory.getLogger(Http2Connector.class);
    private static final int MAX_MOVES = 3;
    /** What one response may bring before its client takes it; as much as the socket of an HTTP/1.1 connection holds. */
    private static final int STREAM_WINDOW = 256 << 10;
    private static final int CONNECTION_WINDOW = 4 << 20;

    private final RateLimitedLog warnings;
    private final SessionOptions sessionOptions;
    private final long connectNanos;

    Http2Connector(EventLoop loop, Transport transport, ProxyConfig.Upstream config, ConnectionLimit limit, LongSupplier nanoClock,
            UpstreamEvents events) {
        super(loop, transport, config, limit, nanoClock, events);
        this.warnings = new RateLimitedLog(LOG, nanoClock);
        this.sessionOptions = new SessionOptions(0, STREAM_WINDOW, CONNECTION_WINDOW, ResponseParser.MAX_HEADER_BYTES,
                ResponseParser.MAX_HEADERS, RequestIds::neverIndexed, nanoClock);
        this.connectNanos = config.connectTimeout().toNanos();
    }

    /**
     * Takes a place on a connection that has one, or makes a connection. On one that is up {@link UpstreamListener#onConnected} is called
     * before this returns; {@link UpstreamListener#onFailed} never is.
     */
    @Override
    public UpstreamExchange open(Endpoint endpoint, RequestContext context, UpstreamListener listener) {
        assert loop().inEventLoop() : "exchange opened from another thread";
        Http2Exchange exchange = new Http2Exchange(context, listener);
        Kind failure = place(exchange, endpoint, context.wantsFreshConnection());
        if (failure != null) {
            // Told in a later task: the caller has no exchange to compare it with yet.
            loop().execute(() -> exchange.fail(failure));
        }
        return exchange;
    }

    /** Puts the exchange on a connection; the reason when there is none for it. */
    private @Nullable Kind place(Http2Exchange exchange, Endpoint endpoint, boolean fresh) {
        Http2Pool pool = pool(endpoint);
        Http2Connection place = pool == null ? null : pool.take(fresh);
        if (place != null) {
            begin(exchange, place);
            return null;
        }
        if (closed()) {
            return Kind.CONNECT;
        }
        if (!tryOpen(endpoint)) {
            // One that may be dead is better than none.
            place = pool == null || !fresh ? null : pool.take(false);
            if (place != null) {
                begin(exchange, place);
                return null;
            }
            events().overflow(endpoint);
            return Kind.OVERFLOW;
        }
        return connect(exchange, endpoint);
    }

    private void begin(Http2Exchange exchange, Http2Connection place) {
        place.begin(exchange);
        if (place.up()) {
            events().reused(place.endpoint());
            exchange.connected();
        }
    }

    private @Nullable Kind connect(Http2Exchange exchange, Endpoint endpoint) {
        Channel channel = socket(endpoint);
        if (channel == null) {
            return Kind.CONNECT;
        }
        Http2Pool pool = poolOf(endpoint);
        Http2Connection connection = new Http2Connection(this, pool, channel, now());
        pool.add(connection);
        connection.begin(exchange);
        connection.connect();
        startScan();
        return null;
    }

    @Override
    Http2Pool newPool(Endpoint endpoint) {
        return new Http2Pool(endpoint);
    }

    /** The connection that the exchange waited for takes fewer than expected. A backend that takes none must not cost ever more of them. */
    void move(Http2Exchange exchange, Http2Pool from) {
        Kind failure = exchange.countMove() > MAX_MOVES ? Kind.OVERFLOW : place(exchange, from.endpoint(), false);
        if (failure != null) {
            exchange.unplaced(failure);
        }
    }

    @Override
    boolean scan(Http2Pool pool, long now) {
        return pool.scan(now);
    }

    // -- from the connections

    SessionOptions sessionOptions() {
        return sessionOptions;
    }

    /** How long a connect may take, and after it the backend's first frame. */
    long connectNanos() {
        return connectNanos;
    }

    /** The backend took the connection and speaks something else: most likely the configuration is wrong. */
    void notHttp2(Http2Pool pool, String why) {
        events().connectFailed(pool.endpoint());
        warnings.warn(pool.endpoint().name() + " does not speak HTTP/2 (upstream.protocol: h2c): " + why);
    }
}
