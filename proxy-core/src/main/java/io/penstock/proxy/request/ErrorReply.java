package io.penstock.proxy.request;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;

/**
 * An answer that the proxy makes itself, in vLLM's error shape (contract section 4, spec/routing section 8.1). Immutable.
 *
 * @param status HTTP status
 * @param message what was wrong; no address or name of the inside
 */
public record ErrorReply(int status, String message) {

    private static final AsciiString JSON = AsciiString.cached("application/json");

    /** The body. */
    public ByteBuf body() {
        return Unpooled.copiedBuffer(json(), StandardCharsets.US_ASCII);
    }

    /** The head of a response with that body. */
    public Http2Headers head() {
        return new DefaultHttp2Headers(false, 8).status(AsciiString.of(Integer.toString(status)))
                .add(HttpHeaderNames.CONTENT_TYPE, JSON)
                .addInt(HttpHeaderNames.CONTENT_LENGTH, json().length());
    }

    private String json() {
        StringBuilder json = new StringBuilder(128).append("{\"error\":{\"message\":\"");
        for (int i = 0; i < message.length(); i++) {
            char c = message.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else {
                json.append(c < ' ' || c > '~' ? '?' : c);
            }
        }
        return json.append("\",\"type\":\"").append(type()).append("\",\"param\":null,\"code\":").append(status).append("}}").toString();
    }

    private String type() {
        return switch (status) {
            case 400 -> "BadRequestError";
            case 401 -> "AuthenticationError";
            case 403 -> "PermissionDeniedError";
            case 404 -> "NotFoundError";
            case 422 -> "UnprocessableEntityError";
            case 429 -> "RateLimitError";
            default -> status >= 500 ? "InternalServerError" : "APIConnectionError";
        };
    }
}
