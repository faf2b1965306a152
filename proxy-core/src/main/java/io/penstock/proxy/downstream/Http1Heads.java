package io.penstock.proxy.downstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.request.ErrorReply;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Brings an HTTP/1.1 request head into HTTP/2 form, or says why not (RFC 9112 section 3, spec/edge section 1.4). Stateless. */
final class Http1Heads {

    private static final Set<String> NOT_TO_BE_NAMED = Set.of("host", "authorization", "content-length");
    private static final String FORWARDED = "x-forwarded-";
    private static final AsciiString TRAILERS = AsciiString.cached("trailers");

    private Http1Heads() {
    }

    static boolean hasBody(HttpRequest request) {
        HttpHeaders headers = request.headers();
        if (headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            return true;
        }
        String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        return length != null && !length.chars().allMatch(digit -> digit == '0');
    }

    /** Why the request is not for the handlers, before its fields are looked at one by one. */
    static @Nullable ErrorReply refusal(HttpRequest request, int maxHeaders) {
        HttpHeaders headers = request.headers();
        if (HttpVersion.HTTP_1_0.equals(request.protocolVersion())) {
            return new ErrorReply(426, "HTTP/1.1 or HTTP/2 is needed.");
        }
        if (!HttpVersion.HTTP_1_1.equals(request.protocolVersion())) {
            return EdgeReplies.badRequest("The request line names no HTTP/1.1.");
        }
        if (headers.size() > maxHeaders) {
            return EdgeReplies.HEADERS_TOO_LARGE;
        }
        if (HttpMethod.CONNECT.equals(request.method())) {
            return EdgeReplies.NO_CONNECT;
        }
        String coding = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
        if (coding != null && !"chunked".equalsIgnoreCase(coding.trim())) {
            return new ErrorReply(501, "Only the chunked transfer coding is understood.");
        }
        if (coding != null && headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
            return EdgeReplies.badRequest("Both content-length and transfer-encoding.");
        }
        return upgrades(headers) ? EdgeReplies.NO_UPGRADE : null;
    }

    /** An offer of h2c is passed over in silence: curl makes it, and goes on with HTTP/1.1. */
    private static boolean upgrades(HttpHeaders headers) {
        return headers.contains(HttpHeaderNames.UPGRADE) && !headers.containsValue(HttpHeaderNames.UPGRADE, "h2c", true);
    }

    /**
     * Fills the head.
     *
     * @return why the request is refused with 400, or null
     */
    static @Nullable String convert(HttpRequest request, String scheme, Http2Headers head) {
        HttpHeaders headers = request.headers();
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1 || hosts.get(0).isEmpty()) {
            return "Exactly one host header is needed.";
        }
        String problem = target(request, scheme, hosts.get(0), head);
        if (problem != null) {
            return problem;
        }
        Set<String> named = named(headers);
        for (String name : named) {
            if (NOT_TO_BE_NAMED.contains(name) || name.startsWith(FORWARDED)) {
                return "The connection header names a field that it must not.";
            }
        }
        copy(headers, named, head);
        return RequestHeads.normalise(head);
    }

    private static @Nullable String target(HttpRequest request, String scheme, String host, Http2Headers head) {
        String target = request.uri();
        String path = target;
        int authorityAt = target.indexOf("://");
        if (target.isEmpty()) {
            return "The request has no target.";
        }
        if (target.charAt(0) != '/' && authorityAt > 0) {
            if (!target.substring(0, authorityAt).equalsIgnoreCase(scheme)) {
                return "The request's scheme does not match the connection.";
            }
            int from = authorityAt + 3;
            int to = from;
            while (to < target.length() && "/?#".indexOf(target.charAt(to)) < 0) {
                to++;
            }
            if (!target.substring(from, to).equalsIgnoreCase(host)) {
                return "The host header and the request's authority differ.";
            }
            path = target.substring(to);
            path = path.startsWith("/") ? path : '/' + path;
        } else if (target.charAt(0) != '/' && !("*".equals(target) && HttpMethod.OPTIONS.equals(request.method()))) {
            return "The request's target is no path.";
        }
        head.method(request.method().asciiName()).scheme(scheme).authority(host).path(path);
        return null;
    }

    private static Set<String> named(HttpHeaders headers) {
        if (!headers.contains(HttpHeaderNames.CONNECTION)) {
            return Set.of();
        }
        Set<String> named = new HashSet<>();
        for (String value : headers.getAll(HttpHeaderNames.CONNECTION)) {
            for (String token : value.split(",", -1)) {
                named.add(token.trim().toLowerCase(Locale.ROOT));
            }
        }
        return named;
    }

    private static void copy(HttpHeaders headers, Set<String> named, Http2Headers head) {
        for (Iterator<Map.Entry<CharSequence, CharSequence>> fields = headers.iteratorCharSequence(); fields.hasNext();) {
            Map.Entry<CharSequence, CharSequence> field = fields.next();
            AsciiString name = AsciiString.of(field.getKey()).toLowerCase();
            CharSequence value = field.getValue();
            if (!dropped(name, value) && (named.isEmpty() || !named.contains(name.toString()))) {
                head.add(name, value);
            }
        }
    }

    private static boolean dropped(AsciiString name, CharSequence value) {
        return ResponseHeads.hopByHop(name) || HttpHeaderNames.HOST.equals(name) || "http2-settings".contentEquals(name)
                || HttpHeaderNames.TE.equals(name) && !TRAILERS.contentEqualsIgnoreCase(value);
    }

    /** A chunked request's trailers. */
    static Http2Headers trailers(HttpHeaders trailers) {
        Http2Headers converted = new DefaultHttp2Headers(false, trailers.size());
        copy(trailers, Set.of(), converted);
        ResponseHeads.sanitiseTrailers(converted);
        return converted;
    }
}
