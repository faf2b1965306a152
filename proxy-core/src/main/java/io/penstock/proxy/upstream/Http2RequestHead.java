package io.penstock.proxy.upstream;

import static io.netty.handler.codec.http.HttpHeaderValidationUtil.validateToken;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpScheme;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.codec.HopByHop;
import io.penstock.proxy.http2.FieldSyntax;
import io.penstock.proxy.http2.FlatHeaders;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the head that a backend gets out of the client's: checked once more, since clients come by HTTP/1.1 too, and without what belongs
 * to the client's connection (RFC 9113 sections 8.2 and 8.3.1). Stateless. The client's head stays as it is, for a replay.
 */
final class Http2RequestHead {

    private Http2RequestHead() {
    }

    /** Of one connection; or said by the authority; or, as {@code expect}, answered by the proxy itself at dispatch. */
    private static boolean notCopied(CharSequence name) {
        return HopByHop.contains(name) || HttpHeaderNames.HOST.contentEquals(name) || HttpHeaderNames.EXPECT.contentEquals(name);
    }

    /**
     * The backend's head. Its scheme is that of the connection to it; the client's is in {@code x-forwarded-proto}.
     *
     * @param defaultAuthority for a head that names none
     * @throws IllegalArgumentException when the backend could read a part as something else
     */
    static Http2Headers of(Http2Headers head, String defaultAuthority) {
        CharSequence method = head.method();
        if (method == null || method.length() == 0 || validateToken(method) >= 0 || HttpMethod.CONNECT.asciiName().contentEquals(method)) {
            throw new IllegalArgumentException(":method: refused (expected: a token other than CONNECT)");
        }
        CharSequence authority = head.authority();
        if (authority == null || authority.length() == 0) {
            authority = head.get(HttpHeaderNames.HOST);
        }
        Http2Headers to = new FlatHeaders(head.size());
        to.method(method).scheme(HttpScheme.HTTP.name()).path(visible(":path", head.path()))
                .authority(visible(":authority", authority == null || authority.length() == 0 ? defaultAuthority : authority));
        fields(head, to);
        return to;
    }

    private static void fields(Http2Headers head, Http2Headers to) {
        List<CharSequence> connection = head.contains(HttpHeaderNames.CONNECTION) ? head.getAll(HttpHeaderNames.CONNECTION) : List.of();
        Set<AsciiString> listed = HopByHop.listed(connection);
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (!name.isEmpty() && name.charAt(0) == ':') {
                continue;
            }
            if (!FieldSyntax.isName(name)) {
                name = lowered(name);
            }
            if (notCopied(name) || !listed.isEmpty() && listed.contains(AsciiString.of(name))) {
                continue;
            }
            CharSequence value = field.getValue();
            if (!FieldSyntax.isValue(value)) {
                throw new IllegalArgumentException(name + ": control character in the value (expected: RFC 9110 section 5.5)");
            }
            to.add(name, value);
        }
    }

    /** A name in another case must not slip through. */
    private static CharSequence lowered(CharSequence name) {
        AsciiString lowered = AsciiString.of(name).toLowerCase();
        if (!FieldSyntax.isName(lowered)) {
            throw new IllegalArgumentException("header name: refused (expected: a token)");
        }
        return lowered;
    }

    private static CharSequence visible(String part, @Nullable CharSequence text) {
        if (text == null || text.length() == 0) {
            throw new IllegalArgumentException(part + ": absent (expected: visible ASCII)");
        }
        int wrong = text instanceof AsciiString ascii ? firstNotVisible(ascii) : firstNotVisible(text);
        if (wrong >= 0) {
            throw new IllegalArgumentException(part + ": character 0x" + Integer.toHexString(text.charAt(wrong))
                    + " (expected: visible ASCII)");
        }
        return text;
    }

    private static int firstNotVisible(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 0x7f) {
                return i;
            }
        }
        return -1;
    }

    /** The usual kind of text, read as the bytes that it is; those above 0x7f are negative. */
    private static int firstNotVisible(AsciiString text) {
        byte[] bytes = text.array();
        int start = text.arrayOffset();
        for (int i = 0; i < text.length(); i++) {
            byte b = bytes[start + i];
            if (b <= ' ' || b == 0x7f) {
                return i;
            }
        }
        return -1;
    }
}
