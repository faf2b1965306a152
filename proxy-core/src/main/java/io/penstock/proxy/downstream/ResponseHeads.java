package io.penstock.proxy.downstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a response head may carry, for both protocols (RFC 9110 sections 6.4.1 and 8.6, RFC 9113 section 8.2). Stateless. */
final class ResponseHeads {

    private ResponseHeads() {
    }

    static int status(Http2Headers head) {
        CharSequence status = head.status();
        if (status == null || status.length() != 3) {
            throw new IllegalArgumentException(":status: " + status + " (expected: three digits)");
        }
        return (status.charAt(0) - '0') * 100 + (status.charAt(1) - '0') * 10 + status.charAt(2) - '0';
    }

    /** Whether a final response of this status, to this request, has no body whatever its head says. */
    static boolean bodiless(int status, boolean headRequest) {
        return headRequest || status == 204 || status == 304;
    }

    /** Takes out what belongs to one connection, and a length that 1xx and 204 must not have; lower-cases names. */
    static void sanitise(Http2Headers head, int status) {
        List<CharSequence> wrong = null;
        boolean noLength = status < 200 || status == 204;
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (hopByHop(name) || noLength && HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name) || hasUpperCase(name)) {
                wrong = add(wrong, name);
            }
        }
        if (wrong != null) {
            replace(head, wrong, noLength);
        }
    }

    private static void replace(Http2Headers head, List<CharSequence> wrong, boolean noLength) {
        for (CharSequence name : wrong) {
            List<CharSequence> values = head.getAllAndRemove(name);
            if (!hopByHop(name) && !(noLength && HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name))) {
                head.add(AsciiString.of(name).toLowerCase(), values);
            }
        }
    }

    /** Trailers: no pseudo headers, nothing of one connection, nothing that frames or routes (RFC 9110 section 6.5.1). */
    static void sanitiseTrailers(Http2Headers trailers) {
        sanitise(trailers, 204);
        List<CharSequence> wrong = null;
        for (Map.Entry<CharSequence, CharSequence> field : trailers) {
            CharSequence name = field.getKey();
            if (name.length() == 0 || name.charAt(0) == ':' || HttpHeaderNames.TRAILER.contentEqualsIgnoreCase(name)
                    || HttpHeaderNames.HOST.contentEqualsIgnoreCase(name)) {
                wrong = add(wrong, name);
            }
        }
        if (wrong != null) {
            wrong.forEach(trailers::remove);
        }
    }

    private static List<CharSequence> add(@Nullable List<CharSequence> names, CharSequence name) {
        List<CharSequence> list = names == null ? new ArrayList<>(4) : names;
        list.add(name);
        return list;
    }

    /** Names that concern one connection only (RFC 9110 section 7.6.1). */
    static boolean hopByHop(CharSequence name) {
        return switch (name.length()) {
            case 7 -> HttpHeaderNames.UPGRADE.contentEqualsIgnoreCase(name);
            case 10 -> HttpHeaderNames.CONNECTION.contentEqualsIgnoreCase(name) || AsciiString.contentEqualsIgnoreCase("keep-alive", name);
            case 16 -> AsciiString.contentEqualsIgnoreCase("proxy-connection", name);
            case 17 -> HttpHeaderNames.TRANSFER_ENCODING.contentEqualsIgnoreCase(name);
            default -> false;
        };
    }

    /** Once for every name of every response, so the usual kind of text is read as the bytes that it is. */
    private static boolean hasUpperCase(CharSequence name) {
        if (name instanceof AsciiString ascii) {
            byte[] bytes = ascii.array();
            for (int i = ascii.arrayOffset(), end = i + ascii.length(); i < end; i++) {
                if (AsciiString.isUpperCase(bytes[i])) {
                    return true;
                }
            }
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (AsciiString.isUpperCase(name.charAt(i))) {
                return true;
            }
        }
        return false;
    }
}
