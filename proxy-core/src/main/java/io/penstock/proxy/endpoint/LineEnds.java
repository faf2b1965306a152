package io.penstock.proxy.endpoint;

import java.nio.ByteBuffer;

/** Looks for the end of a line, eight bytes at a time: most of a page is lines that nobody wants. Pure. */
final class LineEnds {

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = ONES << 7;
    private static final long NEWLINES = ONES * '\n';

    private LineEnds() {
    }

    /**
     * The index of the next newline, or the limit.
     *
     * @param bytes in little-endian order, so that the lowest marked byte is the first
     */
    static int next(ByteBuffer bytes, int from) {
        int end = bytes.limit();
        int i = from;
        for (; i + Long.BYTES <= end; i += Long.BYTES) {
            // A byte that is a newline becomes zero, and a zero byte is the lowest one whose subtraction borrows.
            long differing = bytes.getLong(i) ^ NEWLINES;
            long found = differing - ONES & ~differing & HIGH_BITS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (i < end && bytes.get(i) != '\n') {
            i++;
        }
        return i;
    }
}
