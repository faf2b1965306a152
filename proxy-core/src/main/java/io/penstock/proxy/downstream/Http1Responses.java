package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes responses in HTTP/1.1's framing (RFC 9112 section 6): by content-length where there is one, chunked elsewhere. Used on the
 * connection's event loop.
 */
final class Http1Responses {

    private final Channel channel;
    private final Http1ResponseEncoder encoder;
    private boolean chunked;
    private boolean bodiless;
    private boolean upgradeOffer;

    Http1Responses(Channel channel, Http1ResponseEncoder encoder) {
        this.channel = channel;
        this.encoder = encoder;
    }

    /** The next head says that a newer version would do (RFC 9110 section 15.5.22). */
    void offerUpgrade() {
        upgradeOffer = true;
    }

    void informational(int status, Http2Headers head) {
        HttpResponseStatus line = HttpResponseStatus.valueOf(status);
        HttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, line, Unpooled.EMPTY_BUFFER);
        copy(head, response.headers());
        write(response);
    }

    void head(int status, Http2Headers head, boolean withoutBody, boolean last, boolean keepAlive) {
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
        HttpHeaders headers = response.headers();
        copy(head, headers);
        bodiless = withoutBody;
        chunked = false;
        if (!withoutBody && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
            chunked = !last;
            if (last) {
                headers.set(HttpHeaderNames.CONTENT_LENGTH, "0");
            } else {
                headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
            }
        }
        if (upgradeOffer) {
            headers.set(HttpHeaderNames.CONNECTION, "close, upgrade").set(HttpHeaderNames.UPGRADE, "HTTP/1.1");
        } else if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        encoder.bodiless(withoutBody);
        write(response);
    }

    void data(ByteBuf data) {
        write(new DefaultHttpContent(data));
    }

    /** The end of a response, with its last bytes and with trailers where chunking can carry them. */
    void end(@Nullable ByteBuf data, @Nullable Http2Headers trailers) {
        ByteBuf last = data == null ? Unpooled.EMPTY_BUFFER : data;
        if (bodiless || !chunked || trailers == null || trailers.isEmpty()) {
            write(last.isReadable() ? new DefaultLastHttpContent(last) : empty(last));
            return;
        }
        DefaultLastHttpContent content = new DefaultLastHttpContent(last);
        copy(trailers, content.trailingHeaders());
        write(content);
    }

    private static LastHttpContent empty(ByteBuf data) {
        data.release();
        return LastHttpContent.EMPTY_LAST_CONTENT;
    }

    private static void copy(Http2Headers from, HttpHeaders to) {
        for (Map.Entry<CharSequence, CharSequence> field : from) {
            CharSequence name = field.getKey();
            if (name.length() > 0 && name.charAt(0) != ':') {
                to.add(name, field.getValue());
            }
        }
    }

    private void write(Object message) {
        channel.write(message, channel.voidPromise());
    }
}
