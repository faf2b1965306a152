package io.penstock.proxy.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler around whom nothing escapes: a defect becomes a 500 and a log entry, and the exchange is always closed. Any thread.
 */
record Guarded(HttpHandler inner) implements HttpHandler {

    private static final Logger LOG = LoggerFactory.getLogger(Guarded.class);

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                inner.handle(exchange);
            } catch (RuntimeException e) {
                LOG.error("{} {}: failed", exchange.getRequestMethod(), exchange.getRequestURI().getPath(), e);
                if (exchange.getResponseCode() == -1) {
                    Exchanges.text(exchange, 500, "internal error");
                }
            }
        }
    }
}
