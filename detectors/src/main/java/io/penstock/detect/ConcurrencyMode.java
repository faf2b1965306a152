package io.penstock.detect;

/** What a concurrency detector counts. */
enum ConcurrencyMode {
    REQUESTS,
    TOKENS,
    /** Both; the fuller one counts. */
    HYBRID;

    boolean countsRequests() {
        return this != TOKENS;
    }

    boolean countsTokens() {
        return this != REQUESTS;
    }
}
