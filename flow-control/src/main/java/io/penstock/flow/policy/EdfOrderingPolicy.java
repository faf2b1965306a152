package io.penstock.flow.policy;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.OrderingPolicy;

/**
 * Serves first what must go first, by the queue-wait budget (spec/flow-control section 4.3); a request without one comes after all that
 * have one. Equal deadlines go by arrival. Stateless, any thread.
 */
final class EdfOrderingPolicy implements OrderingPolicy {

    static final String TYPE = "edf-ordering-policy";
    static final EdfOrderingPolicy INSTANCE = new EdfOrderingPolicy();

    private EdfOrderingPolicy() {
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public long rank(AdmissionRequest request, long submittedNanos, long budgetNanos) {
        return submittedNanos + (budgetNanos > 0 ? Deadlines.within(budgetNanos) : Deadlines.NEVER);
    }
}
