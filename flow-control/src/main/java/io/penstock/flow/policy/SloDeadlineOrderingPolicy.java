package io.penstock.flow.policy;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.OrderingPolicy;

/**
 * Serves first what must have its first token first, counted from when the request's head was there (spec/flow-control section 4.3); a
 * request without such an objective comes after all that have one, by when it was received. Zero is an objective. Stateless, any thread.
 */
final class SloDeadlineOrderingPolicy implements OrderingPolicy {

    static final String TYPE = "slo-deadline-ordering-policy";
    static final SloDeadlineOrderingPolicy INSTANCE = new SloDeadlineOrderingPolicy();

    private SloDeadlineOrderingPolicy() {
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public long rank(AdmissionRequest request, long submittedNanos, long budgetNanos) {
        long objective = request.ttftSloNanos();
        return request.receivedNanos() + (objective >= 0 ? Deadlines.within(objective) : Deadlines.NEVER);
    }
}
