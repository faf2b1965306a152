package io.penstock.proxy.admin;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin port of contract section 5. It listens on the loopback address unless told otherwise and trusts whoever reaches it, but for a
 * web page in an operator's browser. Threads of its own, never an event loop.
 */
public final class AdminServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    private final AdminView view;
    private final OperatorPort port;

    private AdminServer(InetSocketAddress address, AdminView view) throws IOException {
        this.view = view;
        this.port = OperatorPort.open("admin", address, new Guarded(this::handle));
    }

    /**
     * Binds and serves.
     *
     * @throws IOException with a message such as {@code admin: 127.0.0.1:9901: address already in use}
     */
    public static AdminServer start(InetSocketAddress address, AdminView view) throws IOException {
        return new AdminServer(address, view);
    }

    /**
     * System properties that bound how long a slow client may hold a thread of the operator ports. The JDK's server reads them when the
     * first port is opened, so whoever starts the process sets those that are absent before that.
     */
    public static Map<String, String> limits() {
        return OperatorPort.LIMITS;
    }

    /** Where it listens; with the port that was free when 0 was asked for. */
    public InetSocketAddress address() {
        return port.address();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/drain")) {
            drain(exchange);
            return;
        }
        if (!known(path)) {
            Exchanges.text(exchange, 404, "not found (expected: /ready, /live, /metrics, /bands, /endpoints or /drain)");
            return;
        }
        if (!Exchanges.refusedMethod(exchange, "GET", "HEAD")) {
            show(exchange, path);
        }
    }

    private static boolean known(String path) {
        return switch (path) {
            case "/ready", "/live", "/bands", "/endpoints" -> true;
            default -> MetricsServer.isMetrics(path);
        };
    }

    private void show(HttpExchange exchange, String path) throws IOException {
        switch (path) {
            case "/ready" -> probe(exchange, view.ready(), "NOT READY");
            case "/live" -> probe(exchange, view.live(), "NOT LIVE");
            case "/bands" -> Exchanges.send(exchange, 200, out -> {
                AdminJson.bands(out, view.saturation(), view.bands());
                return Exchanges.JSON;
            });
            case "/endpoints" -> Exchanges.send(exchange, 200, out -> {
                AdminJson.endpoints(out, view.endpoints());
                return Exchanges.JSON;
            });
            default -> MetricsServer.answer(exchange, view);
        }
    }

    /** {@code LIVE} is what Envoy's {@code /ready} says. */
    private static void probe(HttpExchange exchange, boolean good, String otherwise) throws IOException {
        Exchanges.text(exchange, good ? 200 : 503, good ? "LIVE" : otherwise);
    }

    private void drain(HttpExchange exchange) throws IOException {
        if (Exchanges.refusedMethod(exchange, "POST")) {
            return;
        }
        if (fromAPage(exchange)) {
            Exchanges.text(exchange, 403, "refused: the request comes from a web page");
            return;
        }
        LOG.info("drain asked for by {}", exchange.getRemoteAddress().getAddress().getHostAddress());
        view.drain();
        Exchanges.text(exchange, 200, "draining");
    }

    /**
     * A browser lets any page post to the loopback address and says so in {@code Origin}; what it calls the host proves nothing, since a
     * name can be pointed here. No command-line client sends it.
     */
    private static boolean fromAPage(HttpExchange exchange) {
        return exchange.getRequestHeaders().getFirst("origin") != null;
    }

    @Override
    public void close() {
        port.close();
    }
}
