package io.penstock.flow.engine;

import io.penstock.flow.BandCandidates;
import io.penstock.flow.BandSelectionPolicy;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.policy.StrictBandPolicy;

/**
 * Asks the band selection policy and trusts nothing it says: what throws, or does not rank every band exactly once, is counted, and strict
 * order holds for that decision. Drainer only.
 */
final class BandOrder implements BandCandidates {

    private final FlowEvents events;
    private BandSelectionPolicy policy;
    private int[] order = new int[0];
    /** By band: the last round whose ranking named it. */
    private int[] named = new int[0];
    private int round;

    private BandTable table;
    private double saturation;
    private double[] ceilings = new double[0];
    private long now;

    BandOrder(BandSelectionPolicy policy, BandTable table, FlowEvents events) {
        this.policy = policy;
        this.table = table;
        this.events = events;
    }

    void policy(BandSelectionPolicy other) {
        policy = other;
        strict();
    }

    /** Indexes into the table, in the order in which the bands may dispatch; valid until the next call. */
    int[] rank(BandTable bands, double measured, double[] limits, long nowNanos) {
        table = bands;
        saturation = measured;
        ceilings = limits;
        now = nowNanos;
        if (order.length != bands.size()) {
            order = new int[bands.size()];
            named = new int[bands.size()];
            round = 0;
            strict();
        }
        if (policy == StrictBandPolicy.INSTANCE) {
            return order;
        }
        strict();
        try {
            policy.rank(this, nowNanos, order);
            if (!isPermutation()) {
                strict();
                events.failed(policy.type(), new IllegalStateException("ranking: not every band once (expected: a permutation)"));
            }
        } catch (Throwable broken) {
            strict();
            events.failed(policy.type(), broken);
        }
        return order;
    }

    void dispatched(int priority, long nowNanos) {
        try {
            policy.dispatched(priority, nowNanos);
        } catch (Throwable broken) {
            events.failed(policy.type(), broken);
        }
    }

    private void strict() {
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
    }

    private boolean isPermutation() {
        round++;
        for (int index : order) {
            if (index < 0 || index >= named.length || named[index] == round) {
                return false;
            }
            named[index] = round;
        }
        return true;
    }

    @Override
    public int size() {
        return table.size();
    }

    @Override
    public int priority(int index) {
        return table.at(index).priority;
    }

    @Override
    public boolean waiting(int index) {
        return table.at(index).queues.waiting() > 0;
    }

    /** Written so that a saturation or a ceiling that is no number keeps the band closed. */
    @Override
    public boolean open(int index) {
        return saturation < ceilings[index];
    }

    @Override
    public long headSubmittedNanos(int index) {
        return table.at(index).queues.headSubmitted(now);
    }
}
