package io.penstock.flow.policy;

import io.penstock.flow.BandCandidates;
import io.penstock.flow.BandSelectionPolicy;

/**
 * Strict priority with a bound: while heads of lower bands have waited too long, one dispatch in {@code share} goes to the one of them that
 * has waited longest. That is a share of all dispatches for the overdue bands together; a ceiling still stops them. Drainer only.
 */
final class StarvationBoundPolicy implements BandSelectionPolicy {

    private static final int NONE = -1;

    private final StarvationBoundConfig config;
    /** Dispatches since the last that broke the order. More than {@code share - 1} give no more right to the next than these. */
    private long since;
    private boolean promoted;
    private int promotedPriority;

    StarvationBoundPolicy(StarvationBoundConfig config) {
        this.config = config;
        this.since = config.share() - 1;
    }

    @Override
    public String type() {
        return StarvationBoundConfig.TYPE;
    }

    @Override
    public void rank(BandCandidates bands, long nowNanos, int[] order) {
        int overdue = since < config.share() - 1 ? NONE : longestOverdue(bands, nowNanos);
        promoted = overdue != NONE;
        if (promoted) {
            promotedPriority = bands.priority(overdue);
            System.arraycopy(order, 0, order, 1, overdue);
            order[0] = overdue;
        }
    }

    @Override
    public void dispatched(int priority, long nowNanos) {
        boolean brokeTheOrder = promoted && priority == promotedPriority;
        since = brokeTheOrder ? 0 : since + 1;
    }

    /** Of the bands below the one whose turn it is by priority. */
    private int longestOverdue(BandCandidates bands, long nowNanos) {
        int found = NONE;
        long longest = config.maxWaitNanos();
        boolean below = false;
        for (int i = 0; i < bands.size(); i++) {
            if (!bands.waiting(i) || !bands.open(i)) {
                continue;
            }
            long waited = nowNanos - bands.headSubmittedNanos(i);
            if (below && waited > longest) {
                longest = waited;
                found = i;
            }
            below = true;
        }
        return found;
    }
}
