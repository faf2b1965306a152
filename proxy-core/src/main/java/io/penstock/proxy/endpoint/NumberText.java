package io.penstock.proxy.endpoint;

import java.nio.charset.StandardCharsets;

/**
 * Collects the text of one number and reads it. Plain decimals, which is what engines write, are read without allocating; a number with an
 * exponent or many digits goes through {@link Double}; anything else, NaN and infinities included, is NaN. One thread at a time.
 */
final class NumberText {

    private static final int MOST = 40;
    /** More digits than these are not exact in a double's mantissa. */
    private static final int EXACT_DIGITS = 15;
    private static final double[] POWERS = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

    private final byte[] text = new byte[MOST];
    private int length;

    void clear() {
        length = 0;
    }

    void add(byte b) {
        if (length < MOST) {
            text[length] = b;
        }
        length++;
    }

    double value() {
        if (length == 0 || length > MOST) {
            return Double.NaN;
        }
        long digits = 0;
        int count = 0;
        int point = -1;
        for (int i = 0; i < length; i++) {
            byte b = text[i];
            if (b >= '0' && b <= '9') {
                digits = count < EXACT_DIGITS ? digits * 10 + (b - '0') : digits;
                count++;
            } else if (b == '.' && point < 0) {
                point = count;
            } else {
                return slowly();
            }
        }
        if (count == 0 || count > EXACT_DIGITS) {
            return slowly();
        }
        // Both are exact, so the quotient is the nearest double.
        return digits / POWERS[point < 0 ? 0 : count - point];
    }

    private double slowly() {
        for (int i = 0; i < length; i++) {
            byte b = text[i];
            boolean decimal = b >= '0' && b <= '9' || b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E';
            if (!decimal) {
                // Double would take "1d", "0x1p3" and "Infinity".
                return Double.NaN;
            }
        }
        try {
            return Double.parseDouble(new String(text, 0, length, StandardCharsets.US_ASCII));
        } catch (NumberFormatException ignored) {
            // garbage, and named so by the result
            return Double.NaN;
        }
    }
}
