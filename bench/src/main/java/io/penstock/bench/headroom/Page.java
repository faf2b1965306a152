package io.penstock.bench.headroom;

import java.util.Map;

/** Puts new tables into a page of prose, each between the two comments that name its place. Stateless. */
final class Page {

    private Page() {
    }

    /**
     * The page with its tables replaced.
     *
     * @param tables by the name of their place; an empty one leaves what is there
     * @throws IllegalArgumentException if a place is missing
     */
    static String with(String page, Map<String, String> tables) {
        String text = page;
        for (Map.Entry<String, String> table : tables.entrySet()) {
            String begin = "<!-- " + table.getKey() + " -->\n";
            String end = "<!-- end -->\n";
            int from = text.indexOf(begin);
            int to = text.indexOf(end, Math.max(0, from));
            if (from < 0 || to < 0) {
                throw new IllegalArgumentException("page: no " + begin.strip() + " with " + end.strip() + " after it (expected: both)");
            }
            if (!table.getValue().isEmpty()) {
                text = text.substring(0, from + begin.length()) + table.getValue() + text.substring(to);
            }
        }
        return text;
    }
}
