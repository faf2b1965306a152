package io.penstock.proxy.codec;

import io.netty.buffer.ByteBuf;

/**
 * Reads the line before a chunk, a byte at a time so that it may arrive in any pieces: hexadecimal digits, then extensions, which are
 * checked and dropped (RFC 9112 section 7.1.1), then CR and LF. What nearly all lines are, a few digits and no more, {@link #plain} knows
 * at one look. One event loop only.
 */
final class ChunkLine {

    /** Instead of a size: the line goes on in the next buffer. */
    static final int MORE = -1;

    /** Without its end. */
    static final int MAX_LINE_BYTES = 8 << 10;

    /** Bytes that {@link #plain} looks at. */
    static final int LOOK = Long.BYTES;
    /** Of what {@link #plain} says: how many bytes the line has, with its end. */
    static final int LENGTH = 0xf;
    /** Of what {@link #plain} says: the chunk's size stands above that. */
    static final int SIZE_SHIFT = 4;

    /** CR and LF. */
    static final int LINE_END = '\r' << 8 | '\n';

    private static final byte[] DIGITS = digits();
    private static final String DELIMITERS = "(),/:<=>?@[\\]{}";
    private static final int MAX_BEFORE_DIGIT = Integer.MAX_VALUE >> 4;

    private enum Part { SIZE, BLANK, NAME, VALUE_START, TOKEN, QUOTED, ESCAPE, QUOTED_END, LINE_FEED }

    private Part part = Part.SIZE;
    private int bytes;
    private int size;

    private static byte[] digits() {
        byte[] digits = new byte[256];
        for (int i = 0; i < digits.length; i++) {
            digits[i] = (byte) Character.digit(i < 0x80 ? i : ' ', 16);
        }
        return digits;
    }

    /**
     * Knows a line of one to six digits without an extension, unless its size is zero.
     *
     * @param next the line's first eight bytes, the first of them in the highest bits
     * @return {@link #SIZE_SHIFT size} and {@link #LENGTH length}; 0 for any other line, right or wrong, which {@link #read} is for
     */
    static int plain(long next) {
        int size = 0;
        for (int shift = 56; shift >= 8; shift -= 8) {
            int digit = DIGITS[(int) (next >>> shift) & 0xff];
            if (digit < 0) {
                boolean ends = size > 0 && (next >>> shift - 8 & 0xffff) == LINE_END;
                return ends ? size << SIZE_SHIFT | 9 - (shift >>> 3) : 0;
            }
            size = size << 4 | digit;
        }
        return 0;
    }

    /** Whether a part of a line has been read. */
    boolean begun() {
        return bytes > 0 || part != Part.SIZE;
    }

    /** The chunk's size, 0 to 2^31 - 1, or {@link #MORE}. */
    int read(ByteBuf in) {
        while (in.isReadable()) {
            int next = in.readByte();
            if (part == Part.LINE_FEED) {
                expect(next == '\n', "bare CR in a chunk's line");
                int result = size;
                reset();
                return result;
            }
            if (next == '\r') {
                expect(mayEnd(), "chunk line cut short");
                part = Part.LINE_FEED;
            } else {
                expect(++bytes <= MAX_LINE_BYTES, "chunk line too long");
                part = part == Part.SIZE ? size(next) : extension(next);
            }
        }
        return MORE;
    }

    void reset() {
        part = Part.SIZE;
        bytes = 0;
        size = 0;
    }

    private boolean mayEnd() {
        return switch (part) {
            case SIZE -> bytes > 0;
            case NAME, TOKEN, QUOTED_END -> true;
            default -> false;
        };
    }

    private Part size(int next) {
        int digit = Character.digit(next, 16);
        if (digit >= 0) {
            expect(size <= MAX_BEFORE_DIGIT, "chunk size too large");
            size = size << 4 | digit;
            return Part.SIZE;
        }
        // Itself counted, so a line that begins with it has one byte.
        expect(bytes > 1, "chunk without a size");
        return blank(next);
    }

    private Part blank(int next) {
        expect(next == ';' || isBlank(next), "chunk size");
        return next == ';' ? Part.NAME : Part.BLANK;
    }

    private Part extension(int next) {
        switch (part) {
            case BLANK:
                return blank(next);
            case NAME:
                expect(next == '=' || isBlank(next) || isTokenByte(next), "chunk extension");
                return next == '=' ? Part.VALUE_START : Part.NAME;
            case VALUE_START:
                if (isBlank(next)) {
                    return Part.VALUE_START;
                }
                expect(next == '"' || isTokenByte(next), "chunk extension");
                return next == '"' ? Part.QUOTED : Part.TOKEN;
            case TOKEN:
                expect(isTokenByte(next), "chunk extension");
                return next == ';' ? Part.NAME : Part.TOKEN;
            case QUOTED:
                expect(isBlank(next) || next > ' ' && next < 0x7f, "chunk extension");
                return next == '"' ? Part.QUOTED_END : next == '\\' ? Part.ESCAPE : Part.QUOTED;
            case ESCAPE:
                expect(isBlank(next) || next > ' ' && next < 0x7f, "chunk extension");
                return Part.QUOTED;
            default:
                expect(next == ';' || isBlank(next), "chunk extension");
                return next == ';' ? Part.NAME : Part.QUOTED_END;
        }
    }

    private static boolean isBlank(int b) {
        return b == ' ' || b == '\t';
    }

    /** Visible ASCII but delimiters; as wide as Netty's reading, which lets {@code ;} and {@code "} stand in most places. */
    private static boolean isTokenByte(int b) {
        return b > ' ' && b < 0x7f && DELIMITERS.indexOf(b) < 0;
    }

    private static void expect(boolean fine, String otherwise) {
        if (!fine) {
            throw new MalformedResponse(otherwise);
        }
    }
}
