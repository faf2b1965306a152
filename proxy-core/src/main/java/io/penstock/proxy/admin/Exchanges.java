package io.penstock.proxy.admin;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Answers of the operator ports. An answer is made in memory first: nothing of the proxy is held while a slow client reads it, and a
 * failure half-way becomes a clean 500. Any thread.
 */
final class Exchanges {

    static final String TEXT = "text/plain; charset=utf-8";
    static final String JSON = "application/json";

    private Exchanges() {
    }

    /** Fills a body and returns its media type. */
    @FunctionalInterface
    interface Body {
        String writeTo(OutputStream out) throws IOException;
    }

    static void send(HttpExchange exchange, int status, Body body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        String type = body.writeTo(bytes);
        exchange.getResponseHeaders().set("content-type", type);
        exchange.getResponseHeaders().set("cache-control", "no-store");
        exchange.getResponseHeaders().set("x-content-type-options", "nosniff");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("content-length", Integer.toString(bytes.size()));
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, bytes.size() == 0 ? -1 : bytes.size());
        bytes.writeTo(exchange.getResponseBody());
    }

    static void text(HttpExchange exchange, int status, String line) throws IOException {
        send(exchange, status, out -> {
            out.write((line + '\n').getBytes(StandardCharsets.UTF_8));
            return TEXT;
        });
    }

    /** Refuses any method but those; true when it did. */
    static boolean refusedMethod(HttpExchange exchange, String... allowed) throws IOException {
        for (String method : allowed) {
            if (exchange.getRequestMethod().equals(method)) {
                return false;
            }
        }
        exchange.getResponseHeaders().set("allow", String.join(", ", allowed));
        text(exchange, 405, "method not allowed (expected: " + String.join(" or ", allowed) + ')');
        return true;
    }
}
