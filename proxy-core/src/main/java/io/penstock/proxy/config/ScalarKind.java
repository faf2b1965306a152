package io.penstock.proxy.config;

import java.util.Set;
import java.util.regex.Pattern;

/** What the text of a plain YAML scalar means, as llm-d's loader reads it: YAML 1.1's {@code yes} and {@code on} are booleans. */
enum ScalarKind {
    NULL, BOOLEAN, OLD_BOOLEAN, INTEGER, DECIMAL, TEXT;

    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> BOOLEANS = Set.of("true", "True", "TRUE", "false", "False", "FALSE");
    private static final Set<String> OLD_TRUE = Set.of("yes", "Yes", "YES", "on", "On", "ON");
    private static final Set<String> OLD_FALSE = Set.of("no", "No", "NO", "off", "Off", "OFF");
    private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9]+");
    private static final Pattern FRACTION = Pattern.compile(
            "[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
    private static final int LONGEST_NUMBER = 64;

    static ScalarKind of(String text) {
        if (NULLS.contains(text)) {
            return NULL;
        }
        if (BOOLEANS.contains(text)) {
            return BOOLEAN;
        }
        if (OLD_TRUE.contains(text) || OLD_FALSE.contains(text)) {
            return OLD_BOOLEAN;
        }
        if (text.length() > LONGEST_NUMBER) {
            return TEXT;
        }
        return WHOLE.matcher(text).matches() ? INTEGER : FRACTION.matcher(text).matches() ? DECIMAL : TEXT;
    }

    /** Of a text that is a boolean, old or new. */
    static boolean isTrue(String text) {
        return OLD_TRUE.contains(text) || text.equalsIgnoreCase("true");
    }
}
