package io.penstock.proxy.handler;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.netty.util.NetUtil;
import io.penstock.proxy.request.HeaderNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request's head must be before it may reach a backend (RFC 9110, RFC 9113 section 8.3, spec/edge sections 1.4 and 3, E4 and E5).
 * The codecs let some of it through that would mean something else to an HTTP/1.1 server.
 */
final class HeadRules {

    private static final AsciiString PROTOCOL = AsciiString.cached(":protocol");
    private static final int MAX_PATH = 8 << 10;
    private static final int MAX_AUTHORITY = 255;
    private static final List<AsciiString> FORWARDED = List.of(AsciiString.cached("forwarded"), AsciiString.cached("x-forwarded-host"),
            AsciiString.cached("x-forwarded-port"), AsciiString.cached("x-forwarded-prefix"));

    private HeadRules() {
    }

    /** What is wrong with the head, or null. */
    static @Nullable String problem(Http2Headers head, boolean secure) {
        CharSequence method = head.method();
        if (method == null || method.isEmpty() || !token(method)) {
            return "Malformed method";
        }
        if (AsciiString.contentEquals(method, "CONNECT")) {
            return "CONNECT is not supported";
        }
        CharSequence scheme = head.scheme();
        if (scheme == null || !AsciiString.contentEqualsIgnoreCase(scheme, secure ? "https" : "http")) {
            return "The scheme does not match the connection";
        }
        if (head.contains(PROTOCOL)) {
            return "Extended CONNECT is not supported";
        }
        CharSequence path = head.path();
        if (path == null || !validPath(path, method)) {
            return "Malformed path";
        }
        String problem = authorityProblem(head);
        return problem != null ? problem : fieldProblem(head);
    }

    private static boolean validPath(CharSequence path, CharSequence method) {
        if (path.length() == 1 && path.charAt(0) == '*') {
            return AsciiString.contentEquals(method, "OPTIONS");
        }
        if (path.isEmpty() || path.length() > MAX_PATH || path.charAt(0) != '/') {
            return false;
        }
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c <= ' ' || c > '~' || c == '#') {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String authorityProblem(Http2Headers head) {
        List<CharSequence> hosts = head.getAll(HttpHeaderNames.HOST);
        CharSequence authority = head.authority();
        if (authority == null) {
            if (hosts.size() != 1) {
                return "Exactly one authority is needed";
            }
            authority = hosts.get(0);
            head.authority(authority);
        }
        for (CharSequence host : hosts) {
            if (!AsciiString.contentEqualsIgnoreCase(host, authority)) {
                return "Host and authority differ";
            }
        }
        head.remove(HttpHeaderNames.HOST);
        return validAuthority(authority) ? null : "Malformed authority";
    }

    /** {@code host[:port]}, where a host with colons is in brackets (RFC 3986 section 3.2.2); no user information. */
    private static boolean validAuthority(CharSequence authority) {
        if (authority.isEmpty() || authority.length() > MAX_AUTHORITY) {
            return false;
        }
        String text = authority.toString();
        int hostEnd = text.charAt(0) == '[' ? text.indexOf(']') + 1 : text.indexOf(':') < 0 ? text.length() : text.indexOf(':');
        return hostEnd > 0 && validHost(text.substring(0, hostEnd)) && validPort(text.substring(hostEnd));
    }

    private static boolean validHost(String host) {
        if (host.charAt(0) == '[') {
            return NetUtil.isValidIpV6Address(host.substring(1, host.length() - 1));
        }
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean allowed = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~!$&'()*+,;=".indexOf(c) >= 0;
            if (!allowed) {
                return false;
            }
        }
        return true;
    }

    private static boolean validPort(String rest) {
        if (rest.isEmpty()) {
            return true;
        }
        long port = rest.length() > 6 ? -1 : length(rest.substring(1));
        return rest.charAt(0) == ':' && port >= 0 && port <= 65_535;
    }

    private static @Nullable String fieldProblem(Http2Headers head) {
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (AsciiString.indexOf(name, '_', 0) >= 0) {
                return "Header names with an underscore are not accepted";
            }
        }
        List<CharSequence> lengths = head.getAll(HttpHeaderNames.CONTENT_LENGTH);
        if (lengths.size() > 1 || lengths.size() == 1 && length(lengths.get(0)) < 0) {
            return "Malformed content-length";
        }
        return null;
    }

    /** A content length of digits only, or -1. */
    static long length(CharSequence digits) {
        if (digits.isEmpty() || digits.length() > 18) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    private static boolean token(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean allowed = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
            if (!allowed) {
                return false;
            }
        }
        return true;
    }

    /** Takes out the names that only the proxy may set, and what an untrusted client claims of its own way here. */
    static void strip(Http2Headers head) {
        for (AsciiString owned : HeaderNames.OWNED) {
            head.remove(owned);
        }
        for (AsciiString claimed : FORWARDED) {
            head.remove(claimed);
        }
        // Netty's iterator cannot remove; few requests carry such a name, so a list is made only then.
        List<CharSequence> claims = null;
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (!name.isEmpty() && name.charAt(0) == 'x' && stripped(name)) {
                claims = claims == null ? new ArrayList<>() : claims;
                claims.add(name);
            }
        }
        if (claims != null) {
            claims.forEach(head::remove);
        }
    }

    private static boolean stripped(CharSequence name) {
        for (String entry : HeaderNames.STRIPPED) {
            int end = entry.length() - 1;
            boolean hit = entry.charAt(end) == '*' ? AsciiString.regionMatches(name, false, 0, entry, 0, end)
                    : AsciiString.contentEquals(name, entry);
            if (hit) {
                return true;
            }
        }
        return false;
    }
}
