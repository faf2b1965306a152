package io.penstock.proxy.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns a plugin's {@code parameters} into plain values: String, Long, Double, Boolean, List, Map. Pure but for problems. */
final class ParameterValues {

    private ParameterValues() {
    }

    /** The parameters; empty when there are none. A key with a null value is left out, as if it were absent. */
    static Map<String, Object> read(Field parameters) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (parameters.value() instanceof YamlValue.Mapping mapping) {
            String prefix = parameters.path() + '.';
            mapping.entries().forEach((key, entry) -> put(values, key, plain(parameters.reading(), prefix + key, entry.value())));
            return values;
        }
        parameters.unexpected("a map");
        return values;
    }

    /** One value as a plain one; null for a null. */
    static @Nullable Object plain(Field field) {
        YamlValue value = field.value();
        return value == null ? null : plain(field.reading(), field.path(), value);
    }

    private static @Nullable Object plain(Reading reading, String path, YamlValue value) {
        if (value instanceof YamlValue.Scalar scalar) {
            return scalar(reading, path, scalar);
        }
        if (value instanceof YamlValue.Sequence sequence) {
            List<Object> items = new ArrayList<>();
            for (YamlValue item : sequence.items()) {
                items.add(orEmpty(plain(reading, path + '[' + items.size() + ']', item)));
            }
            return items;
        }
        Map<String, Object> map = new LinkedHashMap<>();
        ((YamlValue.Mapping) value).entries()
                .forEach((key, entry) -> map.put(key, orEmpty(plain(reading, path + '.' + key, entry.value()))));
        return map;
    }

    /** Inside of a parameter a key or an item counts, even with a null value: whoever wrote it meant something. */
    private static Object orEmpty(@Nullable Object plain) {
        return plain == null ? "" : plain;
    }

    private static void put(Map<String, Object> map, String key, @Nullable Object value) {
        if (value != null) {
            map.put(key, value);
        }
    }

    private static @Nullable Object scalar(Reading reading, String path, YamlValue.Scalar scalar) {
        String text = scalar.text();
        return switch (scalar.kind()) {
            case NULL -> null;
            case BOOLEAN -> ScalarKind.isTrue(text);
            case OLD_BOOLEAN -> {
                reading.notice(scalar.at(), path + ": " + text + " is read as " + ScalarKind.isTrue(text));
                yield ScalarKind.isTrue(text);
            }
            case INTEGER -> integer(text);
            case DECIMAL -> decimal(text);
            case TEXT -> text;
        };
    }

    private static Object integer(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return Double.parseDouble(text); // too long for any whole-number parameter, which then says so
        }
    }

    private static Double decimal(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.endsWith(".nan")) {
            return Double.NaN;
        }
        if (lower.endsWith(".inf")) {
            return lower.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        return Double.parseDouble(text);
    }
}
