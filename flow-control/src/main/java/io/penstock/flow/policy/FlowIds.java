package io.penstock.flow.policy;

/** The order of fairness ids (spec/flow-control sections 2 and 11.5). Pure functions. */
final class FlowIds {

    private static final char FIRST_SURROGATE = '\uD800';
    private static final char BEHIND_SURROGATES = '\uE000';

    private FlowIds() {
    }

    /**
     * Compares as llm-d does, by the bytes of UTF-8, which is the order of code points. {@link String#compareTo} is not that: in UTF-16 the
     * surrogates, which stand for everything above U+FFFF, come before U+E000.
     */
    static int compare(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                return x >= FIRST_SURROGATE && y >= FIRST_SURROGATE ? lifted(x) - lifted(y) : x - y;
            }
        }
        return a.length() - b.length();
    }

    /** Moves the surrogates behind all other units. */
    private static int lifted(char unit) {
        return unit < BEHIND_SURROGATES ? unit + Character.MAX_VALUE : unit;
    }
}
