package io.penstock.proxy.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names series of a model server's metrics page: {@code name}, or {@code name{label=value,…}} for those that carry these labels and
 * perhaps others (spec/routing section 3.3). Immutable.
 *
 * @param name the metric's name
 * @param labels what each named label must be; empty for every series of that name
 */
public record MetricSpec(String name, Map<String, String> labels) {

    /** More would be no selection but a mistake. */
    static final int MOST_LABELS = 16;

    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
    private static final Pattern LABEL = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
    /** One pair and what ends it; the value in quotes, with escapes, or bare up to the comma. Possessive: no way back, no depth. */
    private static final Pattern PAIR = Pattern.compile(
            "([^=,{}\"]*+)=\\s*+(?:\"((?:[^\"\\\\]++|\\\\[\\\\\"n])*+)\"|((?!~)[^\",{}]*+))\\s*+(,|$)");

    public MetricSpec {
        labels = Map.copyOf(labels);
    }

    /** @throws IllegalArgumentException saying what is wrong with the text, without the text itself */
    public static MetricSpec parse(String text) {
        String whole = text.strip();
        int brace = whole.indexOf('{');
        String name = (brace < 0 ? whole : whole.substring(0, brace)).strip();
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(name.isEmpty() ? "has no metric name" : "is no metric name");
        }
        if (brace < 0) {
            return new MetricSpec(name, Map.of());
        }
        if (!whole.endsWith("}")) {
            throw new IllegalArgumentException("lacks its closing brace");
        }
        return new MetricSpec(name, pairs(whole.substring(brace + 1, whole.length() - 1)));
    }

    static boolean isLabel(String name) {
        return LABEL.matcher(name).matches();
    }

    private static Map<String, String> pairs(String inside) {
        Map<String, String> pairs = new LinkedHashMap<>();
        Matcher pair = PAIR.matcher(inside);
        int at = 0;
        while (at < inside.length() && !inside.substring(at).isBlank()) {
            if (pairs.size() == MOST_LABELS) {
                throw new IllegalArgumentException("has more than " + MOST_LABELS + " labels");
            }
            if (!pair.region(at, inside.length()).lookingAt()) {
                throw new IllegalArgumentException("has labels that are no pairs label=value");
            }
            String label = pair.group(1).strip();
            String value = pair.group(2) == null ? pair.group(3).strip() : unescaped(pair.group(2));
            if (!isLabel(label)) {
                throw new IllegalArgumentException("has " + Text.shown(label) + ", which is no label name");
            }
            if (pairs.put(label, value) != null) {
                throw new IllegalArgumentException("has the label " + label + " twice");
            }
            at = pair.end();
        }
        return pairs;
    }

    private static String unescaped(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                char escaped = text.charAt(++i);
                out.append(escaped == 'n' ? '\n' : escaped);
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    @Override
    public String toString() {
        if (labels.isEmpty()) {
            return name;
        }
        StringJoiner joined = new StringJoiner(",", name + '{', "}");
        List<String> sorted = new ArrayList<>(labels.keySet());
        sorted.sort(null);
        sorted.forEach(label -> joined.add(label + '=' + labels.get(label)));
        return joined.toString();
    }
}
