package io.penstock.flow;

import java.util.Objects;

/**
 * Names one flow: a fairness id inside a priority band. There is one queue per flow.
 *
 * @param fairnessId the tenant or program, never empty; {@value #DEFAULT_FAIRNESS_ID} when the client names none
 * @param priority the band; a bigger number is served first, a negative one is sheddable
 */
public record FlowKey(String fairnessId, int priority) {

    /** The fairness id of a request that names none (spec/flow-control section 2). */
    public static final String DEFAULT_FAIRNESS_ID = "default-flow";

    public FlowKey {
        Objects.requireNonNull(fairnessId, "fairnessId");
        if (fairnessId.isEmpty()) {
            throw new IllegalArgumentException("fairnessId: \"\" (expected: a non-empty string)");
        }
    }

    /** The same flow in another band; {@code this} when the band is already that one. */
    public FlowKey withPriority(int other) {
        return other == priority ? this : new FlowKey(fairnessId, other);
    }

    @Override
    public String toString() {
        return fairnessId + ':' + priority;
    }
}
