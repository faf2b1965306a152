package io.penstock.proxy.http2;

import static io.netty.handler.codec.http.HttpHeaderValidationUtil.validateValidHeaderValue;

import io.netty.handler.codec.http2.Http2Headers;

/**
 * A peer's head or trailers: each field is checked as it comes out of its block (RFC 9113 sections 8.2.1 and 8.3), and none is stored above
 * a number of fields, so that a compressed block of many tiny ones (cookie crumbs above all) costs no memory (CVE-2026-47774). Pseudo
 * headers do not count. Used on one event loop.
 */
public final class CappedHeaders extends FlatHeaders {

    private static final int PSEUDO = 4;
    /** Room for what the proxy itself adds to a request. */
    private static final int OWN = 4;
    private static final boolean[] NAME = nameCharacters();

    private final int max;
    private int added;
    private boolean complete;

    /** @param expected fields, for the room that is made at once */
    CappedHeaders(int expected, int maxFields) {
        super(expected + OWN);
        max = maxFields + PSEUDO;
    }

    /** By character: whether it may stand in a name, which is a token in lower case (RFC 9110 section 5.6.2). */
    private static boolean[] nameCharacters() {
        boolean[] may = new boolean[0x80];
        for (int c = '!'; c < may.length; c++) {
            may[c] = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
        }
        return may;
    }

    /** Ends the counting and the checks, so that the proxy may add fields of its own; true when the peer sent more fields than allowed. */
    public boolean completeOverflowed() {
        complete = true;
        return added > max;
    }

    /** @throws IllegalArgumentException for a field that makes the peer's message malformed */
    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        if (!complete) {
            if (++added > max) {
                return this;
            }
            check(name, value);
        }
        return super.add(name, value);
    }

    private void check(CharSequence name, CharSequence value) {
        if (!name.isEmpty() && name.charAt(0) == ':') {
            checkPseudo(name, value);
        } else if (!isName(name)) {
            throw new IllegalArgumentException("name: refused (expected: a token in lower case)");
        }
        if (validateValidHeaderValue(value) >= 0) {
            throw new IllegalArgumentException("value: refused (expected: no control character, no blank in front)");
        }
    }

    private void checkPseudo(CharSequence name, CharSequence value) {
        if (!PseudoHeaderName.isPseudoHeader(name)) {
            throw new IllegalArgumentException("pseudo header: unknown (expected: one of RFC 9113 section 8.3)");
        }
        if (value.isEmpty()) {
            throw new IllegalArgumentException("pseudo header: empty (expected: a value)");
        }
        if (contains(name)) {
            throw new IllegalArgumentException("pseudo header: twice (expected: once)");
        }
    }

    private static boolean isName(CharSequence name) {
        int length = name.length();
        for (int i = 0; i < length; i++) {
            char c = name.charAt(i);
            if (c >= NAME.length || !NAME[c]) {
                return false;
            }
        }
        return length > 0;
    }
}
