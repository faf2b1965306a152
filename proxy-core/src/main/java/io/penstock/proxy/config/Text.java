package io.penstock.proxy.config;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How values and names stand in messages, and which name was probably meant. Pure functions. */
final class Text {

    private static final int MOST_SHOWN = 60;
    private static final int LEAST_SHORTENED = 4;

    private Text() {
    }

    /** The text on one line, shortened, with control characters escaped. */
    static String shown(String text) {
        return shown(text, MOST_SHOWN);
    }

    static String shown(String text, int most) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (i == most) {
                return out.append('…').toString();
            }
            char c = text.charAt(i);
            out.append(Character.isISOControl(c) || Character.isSurrogate(c) ? "\\u%04x".formatted((int) c) : String.valueOf(c));
        }
        return out.toString();
    }

    /** A value as a message shows it. */
    static String shown(YamlValue value) {
        if (value instanceof YamlValue.Scalar scalar) {
            return scalar.plain() ? shown(scalar.text()) : '"' + shown(scalar.text()) + '"';
        }
        return value instanceof YamlValue.Sequence ? "a list" : "a map";
    }

    /** {@code (did you mean x?)}, or all names when none is near and there are few. */
    static String hint(String wrong, Collection<String> known) {
        String near = nearest(wrong, known);
        if (near != null) {
            return "(did you mean " + near + "?)";
        }
        List<String> sorted = known.stream().sorted().toList();
        return sorted.isEmpty() ? "(expected: nothing)" : "(expected: " + String.join(", ", sorted) + ')';
    }

    /** The nearest name by edits and swaps of neighbours, at most a third of the word, or one that it shortens. Case counts as equal. */
    static @Nullable String nearest(String wrong, Collection<String> known) {
        String best = null;
        int least = Math.max(1, Math.min(wrong.length(), MOST_SHOWN) / 3) + 1;
        for (String name : known.stream().sorted().toList()) {
            int distance = wrong.length() > MOST_SHOWN ? least : distance(wrong.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                best = name;
            }
        }
        return best != null ? best : known.stream().sorted().filter(name -> shortens(wrong, name)).findFirst().orElse(null);
    }

    /** Whether a word is a name with letters left out, such as {@code params}. */
    private static boolean shortens(String wrong, String name) {
        if (wrong.length() < LEAST_SHORTENED || wrong.charAt(0) != name.charAt(0)) {
            return false;
        }
        int found = 0;
        for (int i = 0; i < name.length() && found < wrong.length(); i++) {
            found += name.charAt(i) == wrong.charAt(found) ? 1 : 0;
        }
        return found == wrong.length();
    }

    /** Damerau-Levenshtein, optimal string alignment. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
