package io.penstock.flow;

/** How a submission ended, as metrics name it (spec/flow-control section 3.5). */
public enum Outcome {
    DISPATCHED("Dispatched"),
    REJECTED_CAPACITY("RejectedCapacity"),
    REJECTED_NO_ENDPOINTS("RejectedNoEndpoints"),
    REJECTED_OTHER("RejectedOther"),
    EVICTED_TTL("EvictedTTL"),
    EVICTED_NO_ENDPOINTS("EvictedNoEndpoints"),
    EVICTED_CONTEXT_CANCELLED("EvictedContextCancelled"),
    EVICTED_OTHER("EvictedOther");

    private final String label;

    Outcome(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
