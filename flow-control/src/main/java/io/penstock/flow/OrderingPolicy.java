package io.penstock.flow;

/**
 * Orders the requests of one flow, and flows by their heads (spec/flow-control section 4.3). Stateless; called once per request by the
 * drainer.
 */
public interface OrderingPolicy {

    /** The plugin type, as in the configuration. */
    String type();

    /**
     * A smaller rank is served first, equal ranks by arrival. Ranks of one band are compared by difference, so all of them must lie within
     * half the range of a {@code long}; a deadline on the controller's clock is one, a far future is {@code submittedNanos + 2^61}. For
     * one that throws, {@code submittedNanos} is the rank.
     *
     * @param submittedNanos when the request was submitted, on the controller's clock
     * @param budgetNanos its queue-wait budget while the pool has endpoints, 0 for none
     */
    long rank(AdmissionRequest request, long submittedNanos, long budgetNanos);
}
