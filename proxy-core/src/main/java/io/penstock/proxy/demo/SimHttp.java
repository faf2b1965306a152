package io.penstock.proxy.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.penstock.proxy.request.HeaderNames;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes a simulated server's answers: head and body as bytes, in the header order of the recordings. Only its event loop uses it. */
final class SimHttp {

    static final String JSON = "application/json";
    static final String EVENTS = "text/event-stream";
    static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final SimClock clock;
    private final SimOptions options;

    SimHttp(SimClock clock, SimOptions options) {
        this.clock = clock;
        this.options = options;
    }

    void error(BackendExchange exchange, SimError error) {
        whole(exchange, error.status(), JSON, error.json());
    }

    /** A complete answer; the connection stays when the client wants it to. */
    void whole(BackendExchange exchange, int status, String type, String body) {
        boolean keep = keep(exchange);
        StringBuilder head = head(exchange, status, type, keep);
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        head.append("Content-Length: ").append(content.length).append("\r\n\r\n");
        ByteBuf out = exchange.alloc().buffer(head.length() + content.length);
        ByteBufUtil.writeAscii(out, head);
        exchange.write(out.writeBytes(content));
        end(exchange, keep);
    }

    /** The head of an answer in chunks. */
    void startStream(BackendExchange exchange) {
        StringBuilder head = head(exchange, 200, EVENTS, keep(exchange)).append("Transfer-Encoding: chunked\r\n\r\n");
        exchange.write(ByteBufUtil.writeAscii(exchange.alloc(), head));
    }

    /** One event as one chunk, its data being the three parts together. */
    void event(BackendExchange exchange, byte[] before, byte[] data, byte[] after) {
        int length = "data: ".length() + before.length + data.length + after.length + 2;
        ByteBuf out = exchange.alloc().buffer(length + 16);
        ByteBufUtil.writeAscii(out, Integer.toHexString(length));
        ByteBufUtil.writeAscii(out, "\r\ndata: ");
        out.writeBytes(before).writeBytes(data).writeBytes(after);
        ByteBufUtil.writeAscii(out, "\n\n\r\n");
        exchange.write(out);
    }

    void endStream(BackendExchange exchange) {
        exchange.write(exchange.alloc().buffer(LAST_CHUNK.length).writeBytes(LAST_CHUNK));
        end(exchange, keep(exchange));
    }

    /** An answer to a request whose body is not wanted; the caller ends the connection once the client had a chance to read it. */
    void refuse(BackendExchange exchange, SimError error) {
        byte[] content = error.json().getBytes(StandardCharsets.UTF_8);
        StringBuilder head = head(exchange, error.status(), JSON, false).append("Content-Length: ").append(content.length)
                .append("\r\n\r\n");
        exchange.writeNow(ByteBufUtil.writeAscii(exchange.alloc(), head).writeBytes(content));
    }

    private void end(BackendExchange exchange, boolean keep) {
        if (keep) {
            exchange.finish();
        } else {
            exchange.finishAndClose();
        }
    }

    private static boolean keep(BackendExchange exchange) {
        return HttpUtil.isKeepAlive(exchange.request());
    }

    private StringBuilder head(BackendExchange exchange, int status, String type, boolean keep) {
        StringBuilder head = new StringBuilder(256).append("HTTP/1.1 ").append(status).append(' ')
                .append(HttpResponseStatus.valueOf(status).reasonPhrase()).append("\r\nServer: penstock-sim\r\nDate: ").append(clock.date())
                .append("\r\nContent-Type: ").append(type).append("\r\n");
        @Nullable String id = options.requestIds() ? exchange.request().headers().get(HeaderNames.REQUEST_ID) : null;
        if (id != null) {
            head.append("X-Request-Id: ").append(id).append("\r\n");
        }
        if (!options.pod().name().isEmpty()) {
            head.append("x-inference-pod: ").append(options.pod().name())
                    .append("\r\nx-inference-port: ").append(exchange.localPort()).append("\r\n");
        }
        if (!options.pod().namespace().isEmpty()) {
            head.append("x-inference-namespace: ").append(options.pod().namespace()).append("\r\n");
        }
        if (!keep) {
            head.append(HttpHeaderNames.CONNECTION).append(": close\r\n");
        }
        return head;
    }
}
