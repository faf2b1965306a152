package io.penstock.flow.policy;

import io.penstock.flow.BandCandidates;
import io.penstock.flow.BandSelectionPolicy;
import java.util.ArrayList;
import java.util.List;

/** Bands as a band selection policy sees them, and an engine that serves the first that can be. */
final class TestBands implements BandCandidates {

    private static final class Band {

        final int priority;
        boolean waiting = true;
        boolean open = true;
        long headSubmittedNanos;

        Band(int priority) {
            this.priority = priority;
        }
    }

    private final List<Band> bands = new ArrayList<>();
    private final BandSelectionPolicy policy;

    /** All of them with work. */
    TestBands(BandSelectionPolicy policy, int... priorities) {
        this.policy = policy;
        for (int priority : priorities) {
            add(priority);
        }
    }

    TestBands add(int priority) {
        bands.add(new Band(priority));
        bands.sort((a, b) -> Integer.compare(b.priority, a.priority));
        return this;
    }

    void remove(int priority) {
        bands.removeIf(band -> band.priority == priority);
    }

    TestBands waiting(int priority, boolean waiting) {
        find(priority).waiting = waiting;
        return this;
    }

    TestBands open(int priority, boolean open) {
        find(priority).open = open;
        return this;
    }

    TestBands head(int priority, long submittedNanos) {
        find(priority).headSubmittedNanos = submittedNanos;
        return this;
    }

    private Band find(int priority) {
        return bands.stream().filter(band -> band.priority == priority).findFirst().orElseThrow();
    }

    /** The priorities as ranked; the array is longer than needed, as the engine's may be. */
    List<Integer> rank(long nowNanos) {
        int[] order = new int[bands.size() + 2];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
        policy.rank(this, nowNanos, order);
        List<Integer> ranked = new ArrayList<>();
        for (int i = 0; i < bands.size(); i++) {
            ranked.add(bands.get(order[i]).priority);
        }
        return ranked;
    }

    /** Dispatches so many requests, and says of which bands. */
    List<Integer> dispatch(int requests, long nowNanos) {
        List<Integer> served = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            for (int priority : rank(nowNanos)) {
                Band band = find(priority);
                if (band.waiting && band.open) {
                    served.add(priority);
                    policy.dispatched(priority, nowNanos);
                    break;
                }
            }
        }
        return served;
    }

    @Override
    public int size() {
        return bands.size();
    }

    @Override
    public int priority(int index) {
        return bands.get(index).priority;
    }

    @Override
    public boolean waiting(int index) {
        return bands.get(index).waiting;
    }

    @Override
    public boolean open(int index) {
        return bands.get(index).open;
    }

    @Override
    public long headSubmittedNanos(int index) {
        return bands.get(index).headSubmittedNanos;
    }
}
