package io.penstock.proxy.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The document {@code ProxyConfig}: the proxy's own side. Every part has the default of contract section 2.
 *
 * @param listeners client ports
 * @param admin address of the admin port
 * @param metrics address of the metrics port
 * @param endpoints static model servers, instead of a discovery plugin
 * @param upstream towards the model servers
 * @param timeouts how long things may take
 * @param limits how large things may be
 * @param drain how the process stops
 * @param accessLog one record a request
 * @param compat switches for old names
 */
public record ProxyConfig(List<Listener> listeners, HostPort admin, HostPort metrics, List<StaticEndpoint> endpoints, Upstream upstream,
        Timeouts timeouts, Limits limits, Drain drain, AccessLog accessLog, Compat compat) {

    public ProxyConfig {
        listeners = List.copyOf(listeners);
        endpoints = List.copyOf(endpoints);
    }

    /** What a missing document means. */
    public static ProxyConfig defaults() {
        return new ProxyConfig(List.of(new Listener("plain", new HostPort("0.0.0.0", 8080), null)), new HostPort("127.0.0.1", 9901),
                new HostPort("0.0.0.0", 9090), List.of(), Upstream.defaults(), Timeouts.defaults(), Limits.defaults(), Drain.defaults(),
                AccessLog.defaults(), new Compat(false, false));
    }

    /** An address to bind or to dial; port 0 binds any free one. */
    public record HostPort(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + port;
        }
    }

    /** A client port; {@code tls} is null for cleartext. */
    public record Listener(String name, HostPort address, @Nullable Tls tls) {
    }

    /** Certificates of a listener; with {@code clientCa} clients must present a certificate. Paths are absolute by now. */
    public record Tls(Path certificate, Path privateKey, @Nullable Path clientCa, String minVersion) {
    }

    /** One static model server. Labels as on a Kubernetes pod, {@code llm-d.ai/role} above all. */
    public record StaticEndpoint(String name, HostPort address, java.util.Map<String, String> labels) {
    }

    /**
     * @param protocol {@link #HTTP1} or {@link #H2C}
     * @param connectTimeout until a connection counts as failed
     * @param idleTimeout after which an idle connection is closed; below the server's own keep-alive
     * @param maxConnectionsPerEndpoint over all event loops
     */
    public record Upstream(String protocol, Duration connectTimeout, Duration idleTimeout, int maxConnectionsPerEndpoint) {

        /** HTTP/1.1, one request at a time a connection. */
        public static final String HTTP1 = "http1";
        /** HTTP/2 in cleartext by prior knowledge (RFC 9113 section 3.3), many requests at a time a connection. */
        public static final String H2C = "h2c";

        public static Upstream defaults() {
            return new Upstream(HTTP1, Duration.ofSeconds(2), Duration.ofSeconds(4), 4096);
        }
    }

    /**
     * @param responseHeaders from the sent request to the response head; 504
     * @param streamIdle between two parts of a response, or of a request's body; reset. Not before the response's first byte: there the
     *         longer of it and {@code responseHeaders} holds
     * @param writeStall while the client takes nothing of what waits for it; reset
     * @param request from dispatch to the end of the response; zero means no limit
     */
    public record Timeouts(Duration responseHeaders, Duration streamIdle, Duration writeStall, Duration request) {
        public static Timeouts defaults() {
            return new Timeouts(Duration.ofSeconds(600), Duration.ofSeconds(300), Duration.ofSeconds(30), Duration.ZERO);
        }
    }

    /**
     * Bounds of what clients may send. Bytes and counts.
     *
     * @param maxBufferedBodyBytes bytes of bodies that the process holds while it collects them; 503 beyond it
     */
    public record Limits(long maxRequestBodyBytes, long maxBufferedBodyBytes, int maxHeaderBytes, int maxHeaders, int maxConcurrentStreams,
            int maxConnections) {
        public static Limits defaults() {
            return new Limits(32L << 20, 256L << 20, 60 << 10, 100, 100, 50_000);
        }
    }

    /**
     * @param grace after the start of a drain during which the listeners still accept
     * @param timeout after which what still runs is reset
     */
    public record Drain(Duration grace, Duration timeout) {
        public static Drain defaults() {
            return new Drain(Duration.ZERO, Duration.ofSeconds(30));
        }
    }

    /** {@code path}: {@code stdout}, {@code off} or a file; {@code format}: {@code json}. */
    public record AccessLog(String path, String format) {
        public static AccessLog defaults() {
            return new AccessLog("stdout", "json");
        }
    }

    /** Old names, for those who still read them. */
    public record Compat(boolean headroomShortName, boolean legacyMetricNames) {
    }
}
