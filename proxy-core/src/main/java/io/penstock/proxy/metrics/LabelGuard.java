package io.penstock.proxy.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes label values out of what clients send, so that they can neither flood the metrics nor break their text: the first
 * {@value #MAX_VALUES} distinct values of the process's life keep their own label, later ones are {@value #OTHER}; a value is cut at
 * {@value #MAX_LENGTH} characters, and control characters and halves of surrogate pairs become U+FFFD. The empty string passes free. Any
 * thread.
 */
final class LabelGuard {

    static final int MAX_VALUES = 1000;
    static final int MAX_LENGTH = 128;
    static final String OTHER = "other";

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** The label for a value; the same object where nothing had to be changed. */
    String label(String value) {
        String clean = clean(value);
        if (clean.isEmpty() || known.contains(clean)) {
            return clean;
        }
        return admit(clean) ? clean : OTHER;
    }

    private boolean admit(String clean) {
        if (known.size() >= MAX_VALUES) {
            return false;
        }
        synchronized (known) {
            return known.contains(clean) || known.size() < MAX_VALUES && known.add(clean);
        }
    }

    private static String clean(String value) {
        int length = Math.min(value.length(), MAX_LENGTH);
        for (int i = 0; i < length; i++) {
            if (broken(value, i, length)) {
                return repaired(value, length);
            }
        }
        return length == value.length() ? value : value.substring(0, length);
    }

    private static String repaired(String value, int length) {
        StringBuilder out = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            out.append(broken(value, i, length) ? '\uFFFD' : value.charAt(i));
        }
        return out.toString();
    }

    private static boolean broken(String value, int i, int length) {
        char c = value.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 >= length || !Character.isLowSurrogate(value.charAt(i + 1));
        }
        if (Character.isLowSurrogate(c)) {
            return i == 0 || !Character.isHighSurrogate(value.charAt(i - 1));
        }
        return Character.isISOControl(c);
    }
}
