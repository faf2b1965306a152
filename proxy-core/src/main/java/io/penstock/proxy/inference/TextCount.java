package io.penstock.proxy.inference;

import java.io.Writer;

/** Counts the UTF-8 bytes of what is written to it, and how many more it takes inside a JSON string. One thread. */
final class TextCount extends Writer {

    private long bytes;
    private long escapes;

    /** Starts anew. */
    TextCount reset() {
        bytes = 0;
        escapes = 0;
        return this;
    }

    long bytes() {
        return bytes;
    }

    /** With its quotes and escapes. */
    long jsonBytes() {
        return bytes + escapes + 2;
    }

    @Override
    public void write(char[] text, int from, int length) {
        for (int i = from; i < from + length; i++) {
            add(text[i]);
        }
    }

    @Override
    public void write(String text, int from, int length) {
        for (int i = from; i < from + length; i++) {
            add(text.charAt(i));
        }
    }

    private void add(char c) {
        if (c < 0x80) {
            bytes++;
            escapes += escape(c);
        } else if (c < 0x800 || Character.isSurrogate(c)) {
            // The two halves of a pair are four bytes together.
            bytes += 2;
        } else {
            bytes += 3;
        }
    }

    private static int escape(char c) {
        if (c >= ' ') {
            return c == '"' || c == '\\' ? 1 : 0;
        }
        return c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f' ? 1 : 5;
    }

    @Override
    public void flush() {
        // Nothing is kept.
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
