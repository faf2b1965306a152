package io.penstock.proxy.upstream;

import io.netty.channel.EventLoop;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.UpstreamConnector;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The connections of one event loop to all backends, in the protocol that the configuration chose. {@link #open} is for that loop's thread
 * only, the rest for any thread.
 */
public interface BackendConnector extends UpstreamConnector, AutoCloseable {

    /** Lets go of all endpoints but these: their idle connections close now, busy ones when they have no request any more. */
    void retain(Set<Endpoint> endpoints);

    /** Lets go of one endpoint, as {@link #retain} does. */
    void remove(Endpoint endpoint);

    /** Closes every connection; running exchanges fail and new ones, too. */
    @Override
    void close();

    /**
     * Makes a loop's connector.
     *
     * @param loop whose thread opens and runs the exchanges
     * @param transport the one that the loop's group was made with
     * @param config protocol and timeouts
     * @param limit shared by the connectors of all loops
     * @param nanoClock a steady clock, nanoseconds
     */
    static BackendConnector create(EventLoop loop, Transport transport, ProxyConfig.Upstream config, ConnectionLimit limit,
            LongSupplier nanoClock, UpstreamEvents events) {
        return switch (config.protocol()) {
            case ProxyConfig.Upstream.HTTP1 -> new Http1Connector(loop, transport, config, limit, nanoClock, events);
            case ProxyConfig.Upstream.H2C -> new Http2Connector(loop, transport, config, limit, nanoClock, events);
            default -> throw new IllegalArgumentException("upstream.protocol: " + config.protocol() + " (expected: http1 or h2c)");
        };
    }

    /** How many requests an endpoint can have at once over all loops, as far as the proxy's own limits go. */
    static int maxRequestsPerEndpoint(ProxyConfig.Upstream config) {
        long each = config.protocol().equals(ProxyConfig.Upstream.H2C) ? Http2Connector.MAX_STREAMS : 1;
        return (int) Math.min(Integer.MAX_VALUE, each * config.maxConnectionsPerEndpoint());
    }
}
