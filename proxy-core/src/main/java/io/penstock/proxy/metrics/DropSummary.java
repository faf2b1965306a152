package io.penstock.proxy.metrics;

import io.penstock.flow.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts outcomes between two lines of the log (spec/flow-control section 10, drop summary). Any thread. */
final class DropSummary {

    private static final Outcome[] OUTCOMES = Outcome.values();

    private final LongAdder[] counts = new LongAdder[OUTCOMES.length];

    DropSummary() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void count(Outcome outcome) {
        counts[outcome.ordinal()].increment();
    }

    /** {@code RejectedCapacity 12, EvictedTTL 1}, or an empty string; starts counting anew. */
    String take() {
        List<String> parts = new ArrayList<>();
        for (Outcome outcome : OUTCOMES) {
            long count = counts[outcome.ordinal()].sumThenReset();
            if (count > 0) {
                parts.add(outcome.label() + ' ' + count);
            }
        }
        return String.join(", ", parts);
    }
}
