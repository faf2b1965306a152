package io.penstock.proxy.upstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * Turns a decoded HTTP/1.1 response head, or its trailers, into HTTP/2 form: lower-case names, {@code :status} first, nothing that belongs
 * to the connection. Stateless. The decoder has validated names and values before.
 */
final class ResponseHead {

    private static final int NO_CONTENT = 204;

    private ResponseHead() {
    }

    static Http2Headers of(HttpResponse response) {
        HttpHeaders from = response.headers();
        Http2Headers to = new DefaultHttp2Headers(false, from.size() + 1);
        to.status(response.status().codeAsText());
        copy(from, to);
        int code = response.status().code();
        if (code < 200 || code == NO_CONTENT) {
            // RFC 9110 section 8.6: these have no length, and an HTTP/2 client takes one for a protocol error.
            to.remove(HttpHeaderNames.CONTENT_LENGTH);
        }
        return to;
    }

    static Http2Headers trailers(HttpHeaders from) {
        Http2Headers to = new DefaultHttp2Headers(false, from.size());
        copy(from, to);
        return to;
    }

    private static void copy(HttpHeaders from, Http2Headers to) {
        Set<AsciiString> listed = from.contains(HttpHeaderNames.CONNECTION)
                ? HopByHop.listed(from.getAll(HttpHeaderNames.CONNECTION)) : Set.of();
        Iterator<Map.Entry<CharSequence, CharSequence>> fields = from.iteratorCharSequence();
        while (fields.hasNext()) {
            Map.Entry<CharSequence, CharSequence> field = fields.next();
            AsciiString name = AsciiString.of(field.getKey()).toLowerCase();
            if (!HopByHop.NAMES.contains(name) && !listed.contains(name)) {
                to.add(name, field.getValue());
            }
        }
    }
}
