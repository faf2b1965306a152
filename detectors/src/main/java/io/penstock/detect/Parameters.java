package io.penstock.detect;

import io.penstock.flow.config.GoDuration;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a plugin's {@code parameters} as YAML scalars. A value of the wrong type is noted and read as its default, so that the other values
 * are checked too; null is the default, as in llm-d. One thread, short-lived.
 */
final class Parameters {

    private final Map<String, ?> values;
    private final Problems problems = new Problems();

    Parameters(Map<String, ?> values, SortedSet<String> known) {
        this.values = values;
        for (Map.Entry<String, ?> entry : values.entrySet()) {
            if (!known.contains(entry.getKey())) {
                problems.add(entry.getKey(), "unknown parameter", String.join(", ", known));
            }
        }
    }

    long integer(String name, long otherwise) {
        Object value = values.get(name);
        if (value instanceof Long || value instanceof Integer) {
            return ((Number) value).longValue();
        }
        return wrong(name, value, "a whole number up to " + Long.MAX_VALUE, otherwise);
    }

    double decimal(String name, double otherwise) {
        Object value = values.get(name);
        return value instanceof Number number ? number.doubleValue() : wrong(name, value, "a number", otherwise);
    }

    boolean flag(String name, boolean otherwise) {
        Object value = values.get(name);
        return value instanceof Boolean flag ? flag : wrong(name, value, "true or false", otherwise);
    }

    String text(String name, String otherwise) {
        Object value = values.get(name);
        return value instanceof String text ? text : wrong(name, value, "a string", otherwise);
    }

    long nanos(String name, long otherwise) {
        Object value = values.get(name);
        long nanos = value instanceof String text ? GoDuration.tryParseNanos(text) : GoDuration.INVALID;
        return nanos == GoDuration.INVALID ? wrong(name, value, "a Go duration such as 200ms, 1m30s", otherwise) : nanos;
    }

    ConcurrencyMode mode(String name, ConcurrencyMode otherwise) {
        Object value = values.get(name);
        ConcurrencyMode mode = value instanceof String label ? ConcurrencyMode.of(label) : null;
        return mode == null ? wrong(name, value, "requests, tokens or hybrid", otherwise) : mode;
    }

    /** Makes the record from what was read and throws if anything was wrong, here or there. */
    <R> R build(Supplier<R> settings) {
        @Nullable R made = null;
        try {
            made = settings.get();
        } catch (DetectorConfigException e) {
            problems.addAll(e);
        }
        problems.throwIfAny();
        if (made == null) {
            throw new IllegalStateException("no settings (expected: a record)");
        }
        return made;
    }

    private <V> V wrong(String name, @Nullable Object value, String expected, V otherwise) {
        if (value != null) {
            problems.add(name, value instanceof String ? "\"" + value + '"' : value, expected);
        }
        return otherwise;
    }
}
