package io.penstock.bench.headroom;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.request.HeaderNames;
import java.nio.charset.StandardCharsets;

/** The completion request that dispatchers send, in both protocols. Immutable. */
final class Requests {

    static final String PATH = "/v1/completions";
    private static final AsciiString AUTHORITY = AsciiString.cached("router.test");
    private static final AsciiString JSON = AsciiString.cached("application/json");
    private static final ByteBuf BODY = Unpooled.unreleasableBuffer(Unpooled.copiedBuffer(
            "{\"model\":\"sim\",\"prompt\":\"Say in one line what a penstock is.\",\"max_tokens\":16}", StandardCharsets.US_ASCII))
            .asReadOnly();

    private Requests() {
    }

    static ByteBuf body() {
        return BODY.duplicate();
    }

    static Http2Headers http2(Wire.Request request) {
        return new DefaultHttp2Headers(false).method("POST").scheme("http").authority(AUTHORITY).path(PATH)
                .add(HttpHeaderNames.CONTENT_TYPE, JSON)
                .addInt(HttpHeaderNames.CONTENT_LENGTH, BODY.readableBytes())
                .add(HeaderNames.OBJECTIVE, request.objective())
                .add(HeaderNames.TTL, request.ttlMillis() + "ms");
    }

    static FullHttpRequest http1(Wire.Request request) {
        FullHttpRequest message = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, PATH, body());
        message.headers().set(HttpHeaderNames.HOST, AUTHORITY).set(HttpHeaderNames.CONTENT_TYPE, JSON)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, BODY.readableBytes())
                .set(HeaderNames.OBJECTIVE, request.objective())
                .set(HeaderNames.TTL, request.ttlMillis() + "ms");
        return message;
    }
}
