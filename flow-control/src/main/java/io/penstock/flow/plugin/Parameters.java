package io.penstock.flow.plugin;

import io.penstock.flow.config.GoDuration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a plugin's {@code parameters} as YAML scalars. A value of the wrong type is noted and read as its default, so that the other values
 * are checked too; null is the default, as in llm-d. One thread, short-lived.
 */
public final class Parameters {

    private final Map<String, ?> values;
    private final Problems problems = new Problems();

    /** @param known every parameter that there is; any other is a problem */
    public Parameters(Map<String, ?> values, SortedSet<String> known) {
        this.values = values;
        for (Map.Entry<String, ?> entry : values.entrySet()) {
            if (!known.contains(entry.getKey())) {
                problems.add(entry.getKey(), "unknown parameter", String.join(", ", known));
            }
        }
    }

    public long integer(String name, long otherwise) {
        Object value = values.get(name);
        if (value instanceof Long || value instanceof Integer) {
            return ((Number) value).longValue();
        }
        return wrong(name, value, "a whole number up to " + Long.MAX_VALUE, otherwise);
    }

    public double decimal(String name, double otherwise) {
        Object value = values.get(name);
        return value instanceof Number number ? number.doubleValue() : wrong(name, value, "a number", otherwise);
    }

    public boolean flag(String name, boolean otherwise) {
        Object value = values.get(name);
        return value instanceof Boolean flag ? flag : wrong(name, value, "true or false", otherwise);
    }

    public String text(String name, String otherwise) {
        Object value = values.get(name);
        return value instanceof String text ? text : wrong(name, value, "a string", otherwise);
    }

    public long nanos(String name, long otherwise) {
        Object value = values.get(name);
        long nanos = value instanceof String text ? GoDuration.tryParseNanos(text) : GoDuration.INVALID;
        return nanos == GoDuration.INVALID ? wrong(name, value, "a Go duration such as 200ms, 1m30s", otherwise) : nanos;
    }

    /** One of an enum's values, each written as its name in lower case; they are listed in a message in their order. */
    public <E extends Enum<E>> E choice(String name, Class<E> values, E otherwise) {
        Map<String, E> words = new LinkedHashMap<>();
        for (E value : values.getEnumConstants()) {
            words.put(value.name().toLowerCase(Locale.ROOT), value);
        }
        return choice(name, words, otherwise);
    }

    /** One of several words, each of which stands for a value; they are listed in a message in the map's order. */
    public <V> V choice(String name, Map<String, V> words, V otherwise) {
        Object value = values.get(name);
        V chosen = value instanceof String word ? words.get(word) : null;
        return chosen == null ? wrong(name, value, listed(List.copyOf(words.keySet())), otherwise) : chosen;
    }

    /** The numbers of a map, in its order; empty when it is absent. A key is a string or, unquoted, a whole number. */
    public Map<String, Double> decimals(String name) {
        Object value = values.get(name);
        if (!(value instanceof Map<?, ?> map)) {
            return wrong(name, value, "a map of numbers", Map.of());
        }
        Map<String, Double> read = new LinkedHashMap<>();
        map.forEach((key, item) -> {
            if (item instanceof Number number) {
                read.put(String.valueOf(key), number.doubleValue());
            } else {
                problems.add(name + '.' + key, shown(item), "a number");
            }
        });
        return read;
    }

    /** Notes the absence of a parameter that has no default. */
    public void require(String name, String expected) {
        if (values.get(name) == null) {
            problems.add(name, "missing", expected);
        }
    }

    private static String listed(List<String> all) {
        List<String> words = all.stream().map(word -> word.isEmpty() ? "empty" : word).toList();
        int last = words.size() - 1;
        return last == 0 ? words.get(0) : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    /** Makes the record from what was read and throws if anything was wrong, here or there. */
    public <R> R build(Supplier<R> settings) {
        @Nullable R made = null;
        try {
            made = settings.get();
        } catch (PluginConfigException e) {
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
            problems.add(name, shown(value), expected);
        }
        return otherwise;
    }

    private static Object shown(Object value) {
        if (value instanceof Map || value instanceof List) {
            return value instanceof Map ? "a map" : "a list";
        }
        return value instanceof String ? "\"" + value + '"' : value;
    }
}
