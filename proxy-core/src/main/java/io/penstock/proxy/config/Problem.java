package io.penstock.proxy.config;

import java.util.Locale;

/**
 * One thing wrong, or worth saying, about a configuration. Immutable.
 *
 * @param severity whether it keeps the configuration from being used
 * @param file as the user named it, or {@code <config-text>}
 * @param line from 1
 * @param column from 1, in code points
 * @param message {@code key: value (expected: …)}
 */
public record Problem(Severity severity, String file, int line, int column, String message) {

    /** What follows from a problem. */
    public enum Severity {
        /** The configuration cannot be used. */
        ERROR,
        /** It is used, but surely not as its author thinks. */
        WARNING,
        /** It is used; something old, clamped or without effect was read. */
        NOTICE
    }

    /** {@code file:line:column: message}; what is no error says so before its message. */
    @Override
    public String toString() {
        String kind = severity == Severity.ERROR ? "" : severity.name().toLowerCase(Locale.ROOT) + ": ";
        return file + ':' + line + ':' + column + ": " + kind + message;
    }
}
