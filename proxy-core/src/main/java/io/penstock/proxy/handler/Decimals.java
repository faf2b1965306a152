package io.penstock.proxy.handler;

import io.netty.util.AsciiString;

/** Decimal strings of small numbers, made once. Any thread. */
final class Decimals {

    private static final AsciiString[] CACHE = new AsciiString[8192];

    static {
        for (int i = 0; i < CACHE.length; i++) {
            CACHE[i] = AsciiString.cached(Integer.toString(i));
        }
    }

    private Decimals() {
    }

    /** The number in base 10. */
    static AsciiString of(long value) {
        return value >= 0 && value < CACHE.length ? CACHE[(int) value] : new AsciiString(Long.toString(value));
    }
}
