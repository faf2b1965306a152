package io.penstock.proxy.config;

import java.util.List;
import java.util.Map;

/** A YAML value with the place it stands at. Immutable; what an alias names is shared. */
sealed interface YamlValue {

    Location at();

    /** Values in it, itself included, aliases counted as if written out. */
    int weight();

    /** @param plain neither quoted nor a block nor tagged as a string */
    record Scalar(Location at, String text, boolean plain) implements YamlValue {

        @Override
        public int weight() {
            return 1;
        }

        /** What the text of a plain scalar means. */
        ScalarKind kind() {
            return plain ? ScalarKind.of(text) : ScalarKind.TEXT;
        }
    }

    /** A list. */
    record Sequence(Location at, List<YamlValue> items, int weight) implements YamlValue {
    }

    /** A map, in the order written. */
    record Mapping(Location at, Map<String, Entry> entries, int weight) implements YamlValue {
    }

    /** One key with its value. */
    record Entry(Location keyAt, YamlValue value) {
    }
}
