package io.penstock.proxy.config;

import org.jspecify.annotations.Nullable;

/**
 * The place that a path such as {@code stages.mine[0]} leads to, inside of a value that was read as a whole. Immutable.
 *
 * @param at where the key stands, or the item of a list
 * @param value what is there
 * @param word the key or the scalar itself, for guesses at what was meant
 * @param topLevel whether it is a key of the value itself
 */
record YamlPlace(Location at, YamlValue value, String word, boolean topLevel) {

    /** The place, or null when the path leads nowhere. Keys may hold dots and brackets: the longest that fits is taken. */
    static @Nullable YamlPlace of(@Nullable YamlValue root, String path) {
        return root instanceof YamlValue.Mapping mapping ? inMapping(mapping, path, true) : null;
    }

    private static @Nullable YamlPlace inMapping(YamlValue.Mapping mapping, String path, boolean topLevel) {
        String best = null;
        for (String key : mapping.entries().keySet()) {
            if (path.startsWith(key) && (best == null || key.length() > best.length()) && endsAt(path, key.length())) {
                best = key;
            }
        }
        YamlValue.Entry entry = best == null ? null : mapping.entries().get(best);
        return best == null || entry == null ? null
                : further(new YamlPlace(entry.keyAt(), entry.value(), best, topLevel), path.substring(best.length()));
    }

    private static boolean endsAt(String path, int index) {
        return index == path.length() || path.charAt(index) == '.' || path.charAt(index) == '[';
    }

    private static @Nullable YamlPlace further(YamlPlace here, String rest) {
        if (rest.isEmpty()) {
            return here;
        }
        if (rest.charAt(0) == '.') {
            return here.value instanceof YamlValue.Mapping mapping ? inMapping(mapping, rest.substring(1), false) : null;
        }
        int end = rest.indexOf(']');
        int index = Integer.parseInt(rest.substring(1, end));
        if (!(here.value instanceof YamlValue.Sequence list) || index >= list.items().size()) {
            return null;
        }
        YamlValue item = list.items().get(index);
        String word = item instanceof YamlValue.Scalar scalar ? scalar.text() : "";
        return further(new YamlPlace(item.at(), item, word, false), rest.substring(end + 1));
    }
}
