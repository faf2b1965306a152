package io.penstock.flow.config;

import org.jspecify.annotations.Nullable;

/**
 * Durations as Go writes them: an optional sign and one or more numbers, each with a unit of {@code ns us µs ms s m h}, such as
 * {@code 300ms}, {@code 1.5h} or {@code 1m30s}; a bare {@code 0} is allowed. The range is plus and minus 2<sup>63</sup>-1 nanoseconds,
 * about 292 years. Any thread.
 */
public final class GoDuration {

    /** What {@link #tryParseNanos} returns for text that is no duration; never a duration itself. */
    public static final long INVALID = Long.MIN_VALUE;

    private static final String EXPECTED = " (expected: a Go duration such as 300ms, 1m30s)";
    private static final int SHOWN = 64;
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000 * MICRO;
    private static final long SECOND = 1_000 * MILLI;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;

    private final String text;
    private int at;
    private @Nullable String problem;

    private GoDuration(String text) {
        this.text = text;
    }

    /**
     * The duration in nanoseconds.
     *
     * @throws IllegalArgumentException when the text is no duration; the message quotes it and says why
     */
    public static long parseNanos(String text) {
        GoDuration parser = new GoDuration(text);
        long nanos = parser.parse();
        if (nanos == INVALID) {
            String shown = text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
            throw new IllegalArgumentException('"' + shown + "\": " + parser.problem + EXPECTED);
        }
        return nanos;
    }

    /** The duration in nanoseconds, or {@link #INVALID}: for text that a client sent, where a refusal must stay cheap. */
    public static long tryParseNanos(String text) {
        return new GoDuration(text).parse();
    }

    /** The shortest text that {@link #parseNanos} reads as that many nanoseconds. */
    public static String format(long nanos) {
        if (nanos == 0) {
            return "0s";
        }
        if (nanos < 0) {
            return nanos == INVALID ? "invalid" : '-' + format(-nanos);
        }
        StringBuilder out = new StringBuilder();
        if (nanos < MICRO) {
            return out.append(nanos).append("ns").toString();
        }
        if (nanos < SECOND) {
            return nanos < MILLI ? decimal(out, nanos, MICRO).append("us").toString() : decimal(out, nanos, MILLI).append("ms").toString();
        }
        if (nanos >= HOUR) {
            out.append(nanos / HOUR).append('h');
        }
        if (nanos % HOUR >= MINUTE) {
            out.append(nanos % HOUR / MINUTE).append('m');
        }
        return nanos % MINUTE == 0 ? out.toString() : decimal(out, nanos % MINUTE, SECOND).append('s').toString();
    }

    private static StringBuilder decimal(StringBuilder out, long nanos, long unit) {
        out.append(nanos / unit);
        long rest = nanos % unit;
        if (rest != 0) {
            out.append('.');
        }
        for (long place = unit / 10; rest != 0; place /= 10) {
            out.append(rest / place);
            rest %= place;
        }
        return out;
    }

    private long parse() {
        boolean negative = at < text.length() && text.charAt(at) == '-';
        if (negative || at < text.length() && text.charAt(at) == '+') {
            at++;
        }
        if (at == text.length()) {
            return fail("nothing to read");
        }
        if (text.length() == at + 1 && text.charAt(at) == '0') {
            return 0;
        }
        long total = 0;
        while (at < text.length()) {
            long part = part();
            if (part == INVALID) {
                return INVALID;
            }
            total += part;
            if (total < 0) {
                return fail("too long");
            }
        }
        return negative ? -total : total;
    }

    /** One number and its unit. */
    private long part() {
        int start = at;
        long whole = 0;
        boolean tooLong = false;
        for (; at < text.length() && isDigit(text.charAt(at)); at++) {
            int digit = text.charAt(at) - '0';
            tooLong |= whole > (Long.MAX_VALUE - digit) / 10;
            whole = tooLong ? 0 : whole * 10 + digit;
        }
        int digits = at - start;
        long fraction = 0;
        double scale = 1;
        if (at < text.length() && text.charAt(at) == '.') {
            for (at++; at < text.length() && isDigit(text.charAt(at)); at++) {
                digits++;
                // Digits beyond the 17th are worth less than a nanosecond in any unit.
                if (scale < 1e17) {
                    fraction = fraction * 10 + text.charAt(at) - '0';
                    scale *= 10;
                }
            }
        }
        if (digits == 0) {
            return fail("a number is missing");
        }
        long unit = unit();
        if (unit == INVALID) {
            return INVALID;
        }
        if (tooLong || whole > Long.MAX_VALUE / unit) {
            return fail("too long");
        }
        long nanos = whole * unit + (long) (fraction * (unit / scale));
        return nanos < 0 ? fail("too long") : nanos;
    }

    private long unit() {
        int start = at;
        while (at < text.length() && !isDigit(text.charAt(at)) && text.charAt(at) != '.') {
            at++;
        }
        String name = text.substring(start, at);
        return switch (name) {
            case "ns" -> 1;
            // The micro sign and the Greek letter look alike; Go reads both.
            case "us", "\u00b5s", "\u03bcs" -> MICRO;
            case "ms" -> MILLI;
            case "s" -> SECOND;
            case "m" -> MINUTE;
            case "h" -> HOUR;
            case "" -> fail("a unit is missing");
            default -> fail("unknown unit");
        };
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private long fail(String reason) {
        problem = reason;
        return INVALID;
    }
}
