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
        CharSequence authority = head.authority();
        if (authority == null || head.contains(HttpHeaderNames.HOST)) {
            List<CharSequence> hosts = head.getAll(HttpHeaderNames.HOST);
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
        }
        return validAuthority(authority) ? null : "Malformed authority";
    }

    /** {@code host[:port]}, where a host with colons is in brackets (RFC 3986 section 3.2.2); no user information. */
    private static boolean validAuthority(CharSequence authority) {
        if (authority.isEmpty() || authority.length() > MAX_AUTHORITY) {
            return false;
        }
        boolean literal = authority.charAt(0) == '[';
        int mark = AsciiString.indexOf(authority, literal ? ']' : ':', 0);
        int hostEnd = literal ? mark + 1 : mark < 0 ? authority.length() : mark;
        return hostEnd > 0 && (literal ? validAddress(authority, hostEnd) : validHost(authority, hostEnd)) && validPort(authority, hostEnd);
    }

    private static boolean validAddress(CharSequence authority, int end) {
        return NetUtil.isValidIpV6Address(authority.subSequence(1, end - 1).toString());
    }

    private static boolean validHost(CharSequence authority, int end) {
        for (int i = 0; i < end; i++) {
            char c = authority.charAt(i);
            if (!alphanumeric(c) && "-._~!$&'()*+,;=".indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean alphanumeric(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }

    private static boolean validPort(CharSequence authority, int from) {
        int digits = authority.length() - from - 1;
        if (digits < 0) {
            return true;
        }
        long port = digits > 5 ? -1 : length(authority, from + 1);
        return authority.charAt(from) == ':' && port >= 0 && port <= 65_535;
    }

    private static @Nullable String fieldProblem(Http2Headers head) {
        int lengths = 0;
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (AsciiString.indexOf(name, '_', 0) >= 0) {
                return "Header names with an underscore are not accepted";
            }
            if (HttpHeaderNames.CONTENT_LENGTH.contentEquals(name) && (++lengths > 1 || length(field.getValue()) < 0)) {
                return "Malformed content-length";
            }
        }
        return null;
    }

    /** A content length of digits only, or -1. */
    static long length(CharSequence digits) {
        return digits.length() > 18 ? -1 : length(digits, 0);
    }

    private static long length(CharSequence digits, int from) {
        if (from == digits.length()) {
            return -1;
        }
        long value = 0;
        for (int i = from; i < digits.length(); i++) {
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
            if (!alphanumeric(c) && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Takes out the names that only the proxy may set, and what an untrusted client claims of its own way here. */
    static void strip(Http2Headers head) {
        // Netty's iterator cannot remove; few requests carry such a name, so a list is made only then.
        List<CharSequence> claims = null;
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (!name.isEmpty() && "xrf".indexOf(name.charAt(0)) >= 0 && claimed(name)) {
                claims = claims == null ? new ArrayList<>() : claims;
                claims.add(name);
            }
        }
        if (claims != null) {
            claims.forEach(head::remove);
        }
    }

    /** One of these begins with x, r or f. */
    private static boolean claimed(CharSequence name) {
        return in(HeaderNames.OWNED, name) || in(FORWARDED, name) || stripped(name);
    }

    private static boolean in(List<AsciiString> names, CharSequence name) {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).contentEquals(name)) {
                return true;
            }
        }
        return false;
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
