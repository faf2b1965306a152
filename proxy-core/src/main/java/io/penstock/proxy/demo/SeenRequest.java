package io.penstock.proxy.demo;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request as a {@link ScriptedBackend} saw it. Immutable.
 *
 * @param connection number of its connection, counted from 1
 * @param method as sent
 * @param uri as sent
 * @param headers names and values as sent, in order
 * @param complete whether its end was seen
 * @param bodyBytes bytes of its body so far, without chunk framing
 * @param bodySha256 of those bytes, in hexadecimal; empty until the request is complete
 * @param trailers names and values as sent, in order
 */
public record SeenRequest(long connection, String method, String uri, List<Map.Entry<String, String>> headers, boolean complete,
        long bodyBytes, String bodySha256, List<Map.Entry<String, String>> trailers) {

    static SeenRequest head(BackendExchange exchange) {
        return new SeenRequest(exchange.connectionNumber(), exchange.request().method().name(), exchange.request().uri(),
                entries(exchange.request().headers()), false, 0, "", List.of());
    }

    SeenRequest completed(long bytes, String sha256, HttpHeaders last) {
        return new SeenRequest(connection, method, uri, headers, true, bytes, sha256, entries(last));
    }

    private static List<Map.Entry<String, String>> entries(HttpHeaders from) {
        return from.entries().stream().map(e -> Map.entry(e.getKey(), Objects.toString(e.getValue(), ""))).toList();
    }

    /** The first value of a header, whatever the case of its name, or null. */
    public @Nullable String header(CharSequence name) {
        List<String> values = headers(name);
        return values.isEmpty() ? null : values.get(0);
    }

    /** All values of a header, whatever the case of its name. */
    public List<String> headers(CharSequence name) {
        return headers.stream().filter(e -> e.getKey().equalsIgnoreCase(name.toString())).map(Map.Entry::getValue).toList();
    }
}
