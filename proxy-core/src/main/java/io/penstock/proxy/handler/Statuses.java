package io.penstock.proxy.handler;

import io.netty.handler.codec.http2.Http2Headers;

/** Reads the status of a head. */
final class Statuses {

    private Statuses() {
    }

    /** The three digits as a number, 0 where there are none. */
    static int of(Http2Headers head) {
        CharSequence status = head.status();
        if (status == null || status.length() != 3) {
            return 0;
        }
        int value = 0;
        for (int i = 0; i < 3; i++) {
            int digit = status.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
