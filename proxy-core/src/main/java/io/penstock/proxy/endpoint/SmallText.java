package io.penstock.proxy.endpoint;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that are collected one by one up to a limit, and compared without making strings of them. One thread at a time. */
final class SmallText {

    private final int most;
    private byte[] bytes = new byte[64];
    private int length;

    SmallText(int most) {
        this.most = most;
    }

    void clear() {
        length = 0;
    }

    void add(byte b) {
        if (length < most) {
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.min(most, length * 2));
            }
            bytes[length] = b;
        }
        length++;
    }

    /** Whether more came than is kept; then it equals nothing. */
    boolean overflowed() {
        return length > most;
    }

    boolean isEmpty() {
        return length == 0;
    }

    boolean equalTo(byte[] other) {
        return length == other.length && !overflowed() && Arrays.equals(bytes, 0, length, other, 0, length);
    }

    boolean equalTo(SmallText other) {
        return length == other.length && !overflowed() && !other.overflowed() && Arrays.equals(bytes, 0, length, other.bytes, 0, length);
    }

    void copy(SmallText other) {
        if (bytes.length < Math.min(most, other.length)) {
            bytes = new byte[Math.min(most, other.bytes.length)];
        }
        length = other.overflowed() ? most + 1 : other.length;
        System.arraycopy(other.bytes, 0, bytes, 0, Math.min(length, most));
    }

    /** As text; what is no UTF-8 becomes U+FFFD. */
    @Override
    public String toString() {
        return new String(bytes, 0, Math.min(length, most), StandardCharsets.UTF_8);
    }
}
