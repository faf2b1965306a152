package io.penstock.proxy.admitter;

/**
 * What a client is told that an admitter turned away. Immutable.
 *
 * @param status HTTP status, the admitter's own
 * @param message for people; no address or name of the inside
 */
public record Denial(int status, String message) {

    /** What llm-d's admitters ask for, and here get (contract section 4). */
    static final int TOO_MANY_REQUESTS = 429;
}
