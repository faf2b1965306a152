package io.penstock.proxy.upstream;

import static io.netty.handler.codec.http.HttpHeaderValidationUtil.validateToken;
import static io.netty.handler.codec.http.HttpHeaderValidationUtil.validateValidHeaderValue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a request head in HTTP/2 form as an HTTP/1.1 one, straight into a buffer (RFC 9112 sections 3 and 6; spec/edge.md E2 and E3).
 * Stateless. The body is framed anew: a single valid {@code content-length} or {@code transfer-encoding: chunked}, never both.
 */
final class RequestHead {

    /** Instead of a length: the body is chunked. */
    static final long CHUNKED = -1;

    private static final AsciiString VERSION_AND_HOST = AsciiString.cached(" HTTP/1.1\r\nhost: ");
    private static final AsciiString COOKIE = AsciiString.cached("cookie: ");
    private static final AsciiString TRANSFER_ENCODING = AsciiString.cached("transfer-encoding: chunked\r\n");
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length: ");
    private static final int COLON_SPACE = ':' << 8 | ' ';
    private static final int CRLF = '\r' << 8 | '\n';
    private static final int CRUMB = ';' << 8 | ' ';
    private static final int INITIAL_BYTES = 512;
    /** 18 digits always fit a long. */
    private static final int MAX_LENGTH_DIGITS = 18;
    private static final Set<AsciiString> NOT_COPIED = notCopied();
    private static final Set<AsciiString> WITH_BODY = Set.of(HttpMethod.POST.asciiName(), HttpMethod.PUT.asciiName(),
            HttpMethod.PATCH.asciiName());

    private RequestHead() {
    }

    private static Set<AsciiString> notCopied() {
        Set<AsciiString> names = new HashSet<>(HopByHop.NAMES);
        names.addAll(List.of(HttpHeaderNames.HOST, HttpHeaderNames.CONTENT_LENGTH, HttpHeaderNames.COOKIE));
        // The proxy itself answers it, at dispatch.
        names.add(HttpHeaderNames.EXPECT);
        return Set.copyOf(names);
    }

    /** Bytes that the body has, or {@link #CHUNKED}. */
    static long bodyLength(Http2Headers head, boolean last) {
        return last ? 0 : declaredLength(head);
    }

    /**
     * The encoded head; the caller owns the buffer.
     *
     * @param length what {@link #bodyLength} said
     * @param defaultAuthority for the {@code host} of a head that names none
     * @throws IllegalArgumentException when a part could be read as more than one part by the backend
     */
    static ByteBuf encode(ByteBufAllocator allocator, Http2Headers head, long length, String defaultAuthority) {
        ByteBuf out = allocator.ioBuffer(INITIAL_BYTES);
        try {
            requestLine(out, head, defaultAuthority);
            fields(out, head);
            framing(out, head, length);
            return out.writeShort(CRLF);
        } catch (RuntimeException e) {
            out.release();
            throw e;
        }
    }

    private static void requestLine(ByteBuf out, Http2Headers head, String defaultAuthority) {
        CharSequence method = head.method();
        if (method == null || method.length() == 0 || validateToken(method) >= 0 || HttpMethod.CONNECT.asciiName().contentEquals(method)) {
            throw new IllegalArgumentException(":method: refused (expected: a token other than CONNECT)");
        }
        write(out, method);
        out.writeByte(' ');
        write(out, visible(":path", head.path()));
        write(out, VERSION_AND_HOST);
        CharSequence authority = head.authority();
        if (authority == null || authority.length() == 0) {
            authority = head.get(HttpHeaderNames.HOST);
        }
        write(out, visible(":authority", authority == null || authority.length() == 0 ? defaultAuthority : authority));
        out.writeShort(CRLF);
    }

    private static void fields(ByteBuf out, Http2Headers head) {
        Set<AsciiString> listed = head.contains(HttpHeaderNames.CONNECTION)
                ? HopByHop.listed(head.getAll(HttpHeaderNames.CONNECTION)) : Set.of();
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            // Lower case already, and then the same object; a name in another case must not slip through.
            AsciiString name = AsciiString.of(field.getKey()).toLowerCase();
            if (name.length() > 0 && name.byteAt(0) == ':' || NOT_COPIED.contains(name) || listed.contains(name)) {
                continue;
            }
            if (name.length() == 0 || validateToken(name) >= 0) {
                throw new IllegalArgumentException("header name: refused (expected: a token)");
            }
            write(out, name);
            out.writeShort(COLON_SPACE);
            write(out, value(name, field.getValue()));
            out.writeShort(CRLF);
        }
        if (head.contains(HttpHeaderNames.COOKIE)) {
            cookies(out, head.getAll(HttpHeaderNames.COOKIE));
        }
    }

    /** HTTP/2 clients may split cookies into crumbs; HTTP/1.1 has one line (RFC 9113 section 8.2.3). */
    private static void cookies(ByteBuf out, List<CharSequence> crumbs) {
        write(out, COOKIE);
        for (int i = 0; i < crumbs.size(); i++) {
            if (i > 0) {
                out.writeShort(CRUMB);
            }
            write(out, value(HttpHeaderNames.COOKIE, crumbs.get(i)));
        }
        out.writeShort(CRLF);
    }

    private static void framing(ByteBuf out, Http2Headers head, long length) {
        if (length == CHUNKED) {
            write(out, TRANSFER_ENCODING);
        } else if (length > 0 || head.contains(HttpHeaderNames.CONTENT_LENGTH) || WITH_BODY.contains(AsciiString.of(head.method()))) {
            write(out, CONTENT_LENGTH);
            ByteBufUtil.writeAscii(out, Long.toString(length));
            out.writeShort(CRLF);
        }
    }

    private static long declaredLength(Http2Headers head) {
        Iterator<CharSequence> values = head.valueIterator(HttpHeaderNames.CONTENT_LENGTH);
        if (!values.hasNext()) {
            return CHUNKED;
        }
        long length = parse(values.next());
        return values.hasNext() ? CHUNKED : length;
    }

    /** Digits only: a sign, a list or white space may be read differently by the backend. */
    private static long parse(CharSequence digits) {
        if (digits.length() == 0 || digits.length() > MAX_LENGTH_DIGITS) {
            return CHUNKED;
        }
        long length = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c < '0' || c > '9') {
                return CHUNKED;
            }
            length = length * 10 + (c - '0');
        }
        return length;
    }

    /** Parts of the first two lines: no space, control or non-ASCII character. */
    private static CharSequence visible(String part, @Nullable CharSequence text) {
        if (text == null || text.length() == 0) {
            throw new IllegalArgumentException(part + ": absent (expected: visible ASCII)");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 0x7f) {
                throw new IllegalArgumentException(part + ": character 0x" + Integer.toHexString(c) + " (expected: visible ASCII)");
            }
        }
        return text;
    }

    private static CharSequence value(AsciiString name, CharSequence value) {
        if (validateValidHeaderValue(value) >= 0) {
            throw new IllegalArgumentException(name + ": control character in the value (expected: RFC 9110 section 5.5)");
        }
        return value;
    }

    private static void write(ByteBuf out, CharSequence text) {
        if (text instanceof AsciiString) {
            ByteBufUtil.copy((AsciiString) text, out);
        } else {
            out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        }
    }
}
