package io.penstock.detect;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a concurrency detector counts. */
enum ConcurrencyMode {
    REQUESTS,
    TOKENS,
    /** Both; the fuller one counts. */
    HYBRID;

    private static final ConcurrencyMode[] ALL = values();

    /** As written in configuration. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The mode of that label, in that case, or null. */
    static @Nullable ConcurrencyMode of(String label) {
        for (ConcurrencyMode mode : ALL) {
            if (mode.label().equals(label)) {
                return mode;
            }
        }
        return null;
    }

    boolean countsRequests() {
        return this != TOKENS;
    }

    boolean countsTokens() {
        return this != REQUESTS;
    }
}
