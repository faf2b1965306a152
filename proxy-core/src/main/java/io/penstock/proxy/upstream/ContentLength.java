package io.penstock.proxy.upstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Iterator;

/** Reads the length that a head in HTTP/2 form declares (RFC 9110 section 8.6, RFC 9113 section 8.1.1). Stateless. */
final class ContentLength {

    /** There is none. */
    static final long UNKNOWN = -1;

    /** 18 digits always fit a long. */
    private static final int MAX_DIGITS = 18;

    private ContentLength() {
    }

    /**
     * The declared length, or {@link #UNKNOWN}.
     *
     * @throws IllegalArgumentException when a reader could take it for another one: a sign, a list, white space, or two fields that differ
     */
    static long of(Http2Headers head) {
        Iterator<CharSequence> values = head.valueIterator(HttpHeaderNames.CONTENT_LENGTH);
        if (!values.hasNext()) {
            return UNKNOWN;
        }
        long length = parse(values.next());
        while (values.hasNext()) {
            if (parse(values.next()) != length) {
                throw new IllegalArgumentException("content-length: two that differ");
            }
        }
        return length;
    }

    /** How many body bytes a request has to have. */
    static long ofRequest(Http2Headers head, boolean last) {
        long length = of(head);
        if (last && length > 0) {
            throw new IllegalArgumentException("content-length: " + length + " of a request without a body (expected: 0)");
        }
        return last ? 0 : length;
    }

    private static long parse(CharSequence digits) {
        long length = digits.length() == 0 || digits.length() > MAX_DIGITS ? UNKNOWN : 0;
        for (int i = 0; i < digits.length() && length != UNKNOWN; i++) {
            char c = digits.charAt(i);
            length = c >= '0' && c <= '9' ? length * 10 + (c - '0') : UNKNOWN;
        }
        if (length == UNKNOWN) {
            throw new IllegalArgumentException("content-length: malformed (expected: 1 to " + MAX_DIGITS + " digits)");
        }
        return length;
    }
}
