package io.penstock.proxy.http2;

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

    private final int max;
    private int added;
    private boolean complete;

    /** @param expected fields, for the room that is made at once */
    CappedHeaders(int expected, int maxFields) {
        super(expected + OWN);
        max = maxFields + PSEUDO;
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
        } else if (!FieldSyntax.isName(name)) {
            throw new IllegalArgumentException("name: refused (expected: a token in lower case)");
        }
        if (!FieldSyntax.isValue(value)) {
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
}
