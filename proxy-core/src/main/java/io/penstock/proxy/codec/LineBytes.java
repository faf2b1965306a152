package io.penstock.proxy.codec;

import java.util.Arrays;

/** What a byte may be in the lines of a message, and small searches in them (RFC 9110 section 5, RFC 9112 section 2.2). Stateless. */
final class LineBytes {

    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";
    private static final int BYTES = 256;
    private static final int DELETE = 0x7f;

    private LineBytes() {
    }

    /** By byte: itself in lower case, or 0 where it is none of a token. */
    static byte[] lowerCaseTokens() {
        byte[] lower = new byte[BYTES];
        for (int c = '!'; c < DELETE; c++) {
            boolean capital = c >= 'A' && c <= 'Z';
            if (capital || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || TOKEN_MARKS.indexOf(c) >= 0) {
                lower[c] = (byte) (capital ? c | 0x20 : c);
            }
        }
        return lower;
    }

    /** By byte: itself, or 0 where it is none of a token. */
    static byte[] tokens() {
        byte[] same = lowerCaseTokens();
        for (int c = 0; c < BYTES; c++) {
            same[c] = same[c] == 0 ? 0 : (byte) c;
        }
        return same;
    }

    /** By byte: itself, or 0 where it is no visible ASCII. */
    static byte[] visible() {
        byte[] same = new byte[BYTES];
        for (int c = '!'; c < DELETE; c++) {
            same[c] = (byte) c;
        }
        return same;
    }

    /** By byte: whether a field's value or a reason may have it. */
    static boolean[] fieldValues() {
        boolean[] may = new boolean[BYTES];
        Arrays.fill(may, ' ', BYTES, true);
        may[DELETE] = false;
        may['\t'] = true;
        return may;
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** The index behind the CR and LF that stand at {@code at}, or {@link FieldReader#MORE} where the bytes end before. */
    static int afterLineEnd(byte[] in, int at, int end, String otherwise) {
        if (at < end && in[at] != '\r') {
            throw new MalformedResponse(otherwise);
        }
        if (at + 1 >= end) {
            return FieldReader.MORE;
        }
        if (in[at + 1] != '\n') {
            throw new MalformedResponse("bare CR");
        }
        return at + 2;
    }

    static int indexOf(byte[] in, int from, int to, char c) {
        int i = from;
        while (i < to && in[i] != c) {
            i++;
        }
        return i;
    }

    static int skipBlanks(byte[] in, int from, int to) {
        int i = from;
        while (i < to && isBlank(in[i])) {
            i++;
        }
        return i;
    }

    static int trimBlanks(byte[] in, int from, int to) {
        int i = to;
        while (i > from && isBlank(in[i - 1])) {
            i--;
        }
        return i;
    }

    static boolean equals(byte[] in, int from, int to, String text) {
        if (to - from != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (in[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** @param lower in lower case */
    static boolean equalsIgnoreCase(byte[] in, int from, int to, String lower) {
        if (to - from != lower.length()) {
            return false;
        }
        for (int i = 0; i < lower.length(); i++) {
            int c = in[from + i];
            if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != lower.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
