package io.penstock.proxy.endpoint;

import io.penstock.proxy.config.MetricsSettings;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * Where one endpoint's page is, and the request for it, made once. Immutable.
 *
 * @param host to verify a certificate against
 * @param address to connect to; unresolved while discovery knows only a name
 * @param question the request; not to be changed
 */
record ScrapeTarget(String host, InetSocketAddress address, byte[] question) {

    static ScrapeTarget of(Endpoint endpoint, MetricsSettings metrics) {
        EndpointSpec spec = endpoint.spec();
        InetSocketAddress own = endpoint.address();
        int port = metrics.port() == null ? spec.port() : metrics.port();
        InetSocketAddress address = own.isUnresolved() ? InetSocketAddress.createUnresolved(spec.host(), port)
                : new InetSocketAddress(own.getAddress(), port);
        String authority = new EndpointSpec(spec.namespace(), spec.name(), spec.host(), port, spec.labels()).authority();
        String text = "GET " + metrics.path() + " HTTP/1.1\r\nhost: " + authority
                + "\r\naccept: text/plain;version=0.0.4\r\nuser-agent: penstock\r\n\r\n";
        return new ScrapeTarget(spec.host(), address, text.getBytes(StandardCharsets.US_ASCII));
    }
}
