package io.penstock.proxy.admin;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The metrics port: {@code /metrics} and {@code /stats/prometheus}, and nothing that an operator alone may see or do, since it listens on
 * every address (contract section 5). Threads of its own.
 */
public final class MetricsServer implements AutoCloseable {

    private final MetricsSource metrics;
    private final OperatorPort port;

    private MetricsServer(InetSocketAddress address, MetricsSource metrics) throws IOException {
        this.metrics = metrics;
        this.port = OperatorPort.open("metrics", address, new Guarded(this::handle));
    }

    /**
     * Binds and serves.
     *
     * @throws IOException with a message that names the port and why it cannot be bound
     */
    public static MetricsServer start(InetSocketAddress address, MetricsSource metrics) throws IOException {
        return new MetricsServer(address, metrics);
    }

    /** Where it listens; with the port that was free when 0 was asked for. */
    public InetSocketAddress address() {
        return port.address();
    }

    private void handle(HttpExchange exchange) throws IOException {
        if (!isMetrics(exchange.getRequestURI().getPath())) {
            Exchanges.text(exchange, 404, "not found (expected: /metrics)");
        } else if (!Exchanges.refusedMethod(exchange, "GET", "HEAD")) {
            answer(exchange, metrics);
        }
    }

    static boolean isMetrics(String path) {
        return path.equals("/metrics") || path.equals("/stats/prometheus");
    }

    static void answer(HttpExchange exchange, MetricsSource metrics) throws IOException {
        String accept = exchange.getRequestHeaders().getFirst("accept");
        Exchanges.send(exchange, 200, out -> metrics.scrape(accept, out));
    }

    @Override
    public void close() {
        port.close();
    }
}
