package io.penstock.flow.policy;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.config.BandConfig;

/** First come, first served: every rank is equal, so arrival decides. Stateless, any thread. */
final class FcfsOrderingPolicy implements OrderingPolicy {

    static final FcfsOrderingPolicy INSTANCE = new FcfsOrderingPolicy();

    private FcfsOrderingPolicy() {
    }

    @Override
    public String type() {
        return BandConfig.FCFS;
    }

    @Override
    public long rank(AdmissionRequest request, long submittedNanos, long budgetNanos) {
        return 0;
    }
}
