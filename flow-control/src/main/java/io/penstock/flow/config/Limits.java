package io.penstock.flow.config;

import io.penstock.flow.CapacitySnapshot;

/** The one range check of counted limits. */
final class Limits {

    private Limits() {
    }

    static void check(String name, long value, long max) {
        if (value != CapacitySnapshot.UNBOUNDED && (value < 1 || value > max)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 1.." + max + " or unbounded)");
        }
    }
}
