package io.penstock.proxy.demo;

import java.util.Locale;

/** The three bands of the demo, by the objectives that {@code demo.yaml} declares. */
enum DemoBand {
    PREMIUM(10, 20),
    STANDARD(0, 30),
    BATCH(-5, 40);

    private final int priority;
    private final int tokens;

    DemoBand(int priority, int tokens) {
        this.priority = priority;
        this.tokens = tokens;
    }

    int priority() {
        return priority;
    }

    /** Output tokens that its requests ask for. */
    int tokens() {
        return tokens;
    }

    /** The name of its objective. */
    String objective() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The objective behind a priority, or the number itself. */
    static String label(int priority) {
        for (DemoBand band : values()) {
            if (band.priority == priority) {
                return band.objective();
            }
        }
        return Integer.toString(priority);
    }
}
