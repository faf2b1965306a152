package io.penstock.proxy.http2;

import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.util.AsciiString;

/** What the names and values of HTTP/2 fields are made of (RFC 9113 section 8.2.1, RFC 9110 section 5.5). Stateless. */
public final class FieldSyntax {

    private static final boolean[] IN_NAMES = new boolean[256];

    static {
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".chars().forEach(c -> IN_NAMES[c] = true);
    }

    private FieldSyntax() {
    }

    /** Whether the text is a token without upper-case letters, and not empty. */
    public static boolean isName(CharSequence name) {
        int length = name.length();
        if (name instanceof AsciiString ascii) {
            byte[] bytes = ascii.array();
            for (int i = ascii.arrayOffset(), end = i + length; i < end; i++) {
                if (!IN_NAMES[bytes[i] & 0xff]) {
                    return false;
                }
            }
            return length > 0;
        }
        for (int i = 0; i < length; i++) {
            char c = name.charAt(i);
            if (c > 0xff || !IN_NAMES[c]) {
                return false;
            }
        }
        return length > 0;
    }

    /** Whether the text has no control characters but tabs, and does not begin with white space. It may be empty. */
    public static boolean isValue(CharSequence value) {
        return HttpHeaderValidationUtil.validateValidHeaderValue(value) < 0;
    }
}
