package io.penstock.proxy.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes request heads in HTTP/2 form as HTTP/1.1 ones (RFC 9112 sections 3 and 6; spec/edge.md E2 and E3). Each byte is looked at and
 * written in one pass, into an array that all heads of an event loop share. The body is framed anew: a single valid
 * {@code content-length} or {@code transfer-encoding: chunked}, never both. One event loop only.
 */
public final class RequestEncoder {

    /** Instead of a length: the body is chunked. */
    public static final long CHUNKED = -1;

    private static final byte[] VERSION_AND_HOST = ascii(" HTTP/1.1\r\nhost: ");
    private static final byte[] COOKIE = ascii("cookie: ");
    private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding: chunked\r\n");
    private static final byte[] CONTENT_LENGTH = ascii("content-length: ");
    private static final byte[] TOKENS = LineBytes.tokens();
    private static final byte[] LOWER_CASE_TOKENS = LineBytes.lowerCaseTokens();
    private static final byte[] VISIBLE = LineBytes.visible();
    private static final boolean[] VALUE_BYTES = LineBytes.fieldValues();
    private static final int LAST_BYTE = 0xff;
    private static final int INITIAL_BYTES = 1 << 10;
    /** 18 digits always fit a long. */
    private static final int MAX_LENGTH_DIGITS = 18;

    private byte[] out = new byte[INITIAL_BYTES];
    private int at;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Bytes that the body has, or {@link #CHUNKED}. */
    public static long bodyLength(Http2Headers head, boolean last) {
        return last ? 0 : declaredLength(head);
    }

    /**
     * The encoded head; the caller owns the buffer.
     *
     * @param length what {@link #bodyLength} said
     * @param defaultAuthority for the {@code host} of a head that names none
     * @param room bytes that the buffer can take behind the head
     * @throws IllegalArgumentException when a part could be read as more than one part by the backend
     */
    public ByteBuf encode(ByteBufAllocator allocator, Http2Headers head, long length, String defaultAuthority, int room) {
        at = 0;
        requestLine(head, defaultAuthority);
        fields(head, length);
        lineEnd();
        return allocator.ioBuffer(at + room).writeBytes(out, 0, at);
    }

    private void requestLine(Http2Headers head, String defaultAuthority) {
        CharSequence method = head.method();
        if (method == null || method.length() == 0 || HttpMethod.CONNECT.asciiName().contentEquals(method)) {
            throw new IllegalArgumentException(":method: refused (expected: a token other than CONNECT)");
        }
        checked(method, TOKENS, ":method: refused (expected: a token other than CONNECT)");
        put(' ');
        visible(":path", head.path());
        put(VERSION_AND_HOST);
        CharSequence authority = head.authority();
        if (authority == null || authority.length() == 0) {
            authority = head.get(HttpHeaderNames.HOST);
        }
        visible(":authority", authority == null || authority.length() == 0 ? defaultAuthority : authority);
        lineEnd();
    }

    private void fields(Http2Headers head, long length) {
        Set<AsciiString> listed = head.contains(HttpHeaderNames.CONNECTION)
                ? HopByHop.listed(head.getAll(HttpHeaderNames.CONNECTION)) : Set.of();
        boolean cookies = false;
        boolean lengthSeen = false;
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (name.length() > 0 && name.charAt(0) == ':') {
                continue;
            }
            if (notCopied(name)) {
                cookies |= HttpHeaderNames.COOKIE.contentEqualsIgnoreCase(name);
                lengthSeen |= HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name);
            } else if (listed.isEmpty() || !listed.contains(AsciiString.of(name).toLowerCase())) {
                field(name, field.getValue());
            }
        }
        if (cookies && !listed.contains(HttpHeaderNames.COOKIE)) {
            cookies(head.getAll(HttpHeaderNames.COOKIE));
        }
        framing(head, length, lengthSeen);
    }

    private void field(CharSequence name, CharSequence value) {
        if (name.length() == 0) {
            throw new IllegalArgumentException("header name: refused (expected: a token)");
        }
        checked(name, LOWER_CASE_TOKENS, "header name: refused (expected: a token)");
        put(':');
        put(' ');
        value(name, value);
        lineEnd();
    }

    /** Belongs to the connection, is written by other means, or, as {@code expect}, is answered by the proxy itself. */
    private static boolean notCopied(CharSequence name) {
        return switch (name.length()) {
            case 4 -> HttpHeaderNames.HOST.contentEqualsIgnoreCase(name);
            case 6 -> HttpHeaderNames.COOKIE.contentEqualsIgnoreCase(name) || HttpHeaderNames.EXPECT.contentEqualsIgnoreCase(name);
            case 14 -> HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name) || HopByHop.contains(name);
            default -> HopByHop.contains(name);
        };
    }

    /** HTTP/2 clients may split cookies into crumbs; HTTP/1.1 has one line (RFC 9113 section 8.2.3). */
    private void cookies(List<CharSequence> crumbs) {
        put(COOKIE);
        for (int i = 0; i < crumbs.size(); i++) {
            if (i > 0) {
                put(';');
                put(' ');
            }
            value(HttpHeaderNames.COOKIE, crumbs.get(i));
        }
        lineEnd();
    }

    private void framing(Http2Headers head, long length, boolean lengthSeen) {
        if (length == CHUNKED) {
            put(TRANSFER_ENCODING);
        } else if (length > 0 || lengthSeen || usuallyHasBody(head.method())) {
            put(CONTENT_LENGTH);
            number(length);
            lineEnd();
        }
    }

    private static boolean usuallyHasBody(@Nullable CharSequence method) {
        return HttpMethod.POST.asciiName().contentEquals(method) || HttpMethod.PUT.asciiName().contentEquals(method)
                || HttpMethod.PATCH.asciiName().contentEquals(method);
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

    // -- bytes

    /** Parts of the first two lines: no space, control or non-ASCII character. */
    private void visible(String part, @Nullable CharSequence text) {
        if (text == null || text.length() == 0) {
            throw new IllegalArgumentException(part + ": absent (expected: visible ASCII)");
        }
        checked(text, VISIBLE, part + ": character refused (expected: visible ASCII)");
    }

    /** @param allowed by byte: what to write for it, 0 where it is refused */
    private void checked(CharSequence text, byte[] allowed, String otherwise) {
        int length = text.length();
        ensure(length);
        byte[] to = out;
        int next = at;
        boolean fine = true;
        if (text instanceof AsciiString ascii) {
            byte[] from = ascii.array();
            for (int i = ascii.arrayOffset(), end = i + length; i < end; i++) {
                byte b = allowed[from[i] & LAST_BYTE];
                fine &= b != 0;
                to[next++] = b;
            }
        } else {
            for (int i = 0; i < length; i++) {
                char c = text.charAt(i);
                byte b = c > LAST_BYTE ? 0 : allowed[c];
                fine &= b != 0;
                to[next++] = b;
            }
        }
        at = next;
        if (!fine) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private void value(CharSequence name, CharSequence value) {
        int length = value.length();
        ensure(length);
        byte[] to = out;
        int next = at;
        boolean fine = length == 0 || value.charAt(0) != ' ' && value.charAt(0) != '\t';
        if (value instanceof AsciiString ascii) {
            byte[] from = ascii.array();
            for (int i = ascii.arrayOffset(), end = i + length; i < end; i++) {
                fine &= VALUE_BYTES[from[i] & LAST_BYTE];
                to[next++] = from[i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                char c = value.charAt(i);
                // A character that is no byte cannot come from a peer.
                byte b = c > LAST_BYTE ? (byte) '?' : (byte) c;
                fine &= VALUE_BYTES[b & LAST_BYTE];
                to[next++] = b;
            }
        }
        at = next;
        if (!fine) {
            throw refused(name);
        }
    }

    private static IllegalArgumentException refused(CharSequence name) {
        return new IllegalArgumentException(name + ": control character in the value (expected: RFC 9110 section 5.5)");
    }

    private void number(long value) {
        int digits = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        ensure(digits);
        long rest = value;
        for (int i = at + digits - 1; i >= at; i--) {
            out[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        at += digits;
    }

    private void put(byte[] bytes) {
        ensure(bytes.length);
        System.arraycopy(bytes, 0, out, at, bytes.length);
        at += bytes.length;
    }

    private void put(char c) {
        ensure(1);
        out[at++] = (byte) c;
    }

    private void lineEnd() {
        put('\r');
        put('\n');
    }

    private void ensure(int more) {
        if (out.length - at < more) {
            out = Arrays.copyOf(out, Math.max(2 * out.length, at + more));
        }
    }
}
