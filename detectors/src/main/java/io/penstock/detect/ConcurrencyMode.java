package io.penstock.detect;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a concurrency detector counts. */
enum ConcurrencyMode {
    REQUESTS,
    TOKENS,
    /** Both; the fuller one counts. */
    HYBRID;

    /** As written in configuration. */
    static final Map<String, ConcurrencyMode> WORDS = words();

    private static Map<String, ConcurrencyMode> words() {
        Map<String, ConcurrencyMode> words = new LinkedHashMap<>();
        for (ConcurrencyMode mode : values()) {
            words.put(mode.name().toLowerCase(Locale.ROOT), mode);
        }
        return words;
    }

    boolean countsRequests() {
        return this != TOKENS;
    }

    boolean countsTokens() {
        return this != REQUESTS;
    }
}
