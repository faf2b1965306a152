package io.penstock.proxy.upstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.codec.ResponseParser;
import io.penstock.proxy.http2.CappedHeaders;
import org.jspecify.annotations.Nullable;

/**
 * What a response's head and trailers may be when they come by HTTP/2, beyond what the session has refused already: names, values, pseudo
 * headers and those of one connection (RFC 9113 sections 8.2 and 8.3.2). Stateless.
 */
final class Http2ResponseHead {

    private static final int NO_CONTENT = 204;
    /** Allowed, and for this connection only. */
    private static final AsciiString[] NOT_PASSED = {HttpHeaderNames.TE, HttpHeaderNames.TRAILER, AsciiString.cached("http2-settings")};

    private Http2ResponseHead() {
    }

    /**
     * A head's status, 100 to 599.
     *
     * @throws IllegalArgumentException when it has another one, or too many fields
     */
    static int status(Http2Headers head) {
        count(head, 1);
        CharSequence text = head.status();
        int status = 0;
        for (int i = 0; text != null && i < text.length() && status < 1_000; i++) {
            char c = text.charAt(i);
            status = c >= '0' && c <= '9' ? status * 10 + (c - '0') : Integer.MAX_VALUE;
        }
        if (status < 100 || status > 599) {
            throw new IllegalArgumentException("status (expected: 100..599)");
        }
        return status;
    }

    /** What is wrong with trailers, or null; what is not to be passed on has been taken out. */
    static @Nullable String trailerProblem(Http2Headers trailers) {
        try {
            count(trailers, 0);
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
        for (AsciiString name : NOT_PASSED) {
            trailers.remove(name);
        }
        return null;
    }

    private static void count(Http2Headers headers, int pseudo) {
        // Also ends the counting: what the proxy adds is not the backend's.
        boolean overflowed = headers instanceof CappedHeaders capped && capped.completeOverflowed();
        int fields = headers.size() - pseudo;
        if (overflowed || fields > ResponseParser.MAX_HEADERS) {
            throw new IllegalArgumentException("header fields: " + fields + " or more (expected: at most " + ResponseParser.MAX_HEADERS
                    + ')');
        }
    }

    /** Takes out what is not to be passed on. */
    static void strip(Http2Headers head, int status) {
        for (AsciiString name : NOT_PASSED) {
            head.remove(name);
        }
        if (status < 200 || status == NO_CONTENT) {
            // RFC 9110 section 8.6: these have no length, and an HTTP/2 client takes one for a protocol error.
            head.remove(HttpHeaderNames.CONTENT_LENGTH);
        }
    }
}
