package io.penstock.flow.policy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Shares a band's dispatches by weight, counted in requests, bytes or tokens: deficit round robin, kept as {@link FairShare virtual time}.
 * A request is served first and paid for afterwards, so even a huge one goes when it is its flow's turn, and then the others catch up. An
 * idle flow gathers no credit; what it owes it still owes when it comes back, until the band had nothing waiting. A pick takes O(1), being
 * served O(log n) of the flows with waiting requests. Drainer only.
 */
final class WeightedFairnessPolicy implements FairnessPolicy {

    /** The slot of a flow without requests that owes nothing; {@code ~place} in {@link #owed} for one that does. */
    private static final int CLEAR = 0;

    private final WeightedFairnessConfig config;
    private final FlowHeap turns = new FlowHeap();
    /** How far service has come: the key of the flow that was served last. */
    private long now;
    /** The latest key there is. */
    private long latest;
    /** Among equals the one that has waited for its turn for longest. */
    private long order;

    private long[] owed = new long[64];
    private @Nullable FlowHandle[] debtors = new FlowHandle[64];
    private int[] free = new int[64];
    private int made;
    private int freeSize;

    WeightedFairnessPolicy(WeightedFairnessConfig config) {
        this.config = config;
    }

    @Override
    public String type() {
        return WeightedFairnessConfig.TYPE;
    }

    @Override
    public void activated(FlowHandle flow) {
        turns.add(flow, FairShare.later(now, settle(flow)), order++);
    }

    @Override
    public void deactivated(FlowHandle flow) {
        long key = turns.key(flow);
        turns.remove(flow);
        if (turns.isEmpty()) {
            now = latest; // nobody is kept waiting by what was served before: all debts end
        }
        flow.slot(key - now > 0 ? ~owe(flow, key) : CLEAR);
    }

    @Override
    public void forgotten(FlowHandle flow) {
        settle(flow);
    }

    @Override
    public void headChanged(FlowHandle flow) {
        // A turn does not depend on what is at the head: it is paid for afterwards.
    }

    @Override
    public @Nullable FlowHandle pick() {
        return turns.first();
    }

    @Override
    public void served(FlowHandle flow, long bytes) {
        now = FairShare.later(now, turns.key(flow));
        long key = now + FairShare.charge(size(flow, bytes), config.weight(flow.fairnessId()));
        latest = FairShare.later(latest, key);
        turns.change(flow, key, order++);
    }

    @Override
    public void setAside(FlowHandle flow) {
        turns.setAside(flow);
    }

    @Override
    public void restore() {
        turns.restore();
    }

    private long size(FlowHandle flow, long bytes) {
        return switch (config.cost()) {
            case REQUESTS -> 1;
            case BYTES -> bytes;
            case TOKENS -> flow.headTokens();
        };
    }

    private int owe(FlowHandle flow, long key) {
        if (freeSize == 0 && made == owed.length) {
            owed = Arrays.copyOf(owed, made * 2);
            debtors = Arrays.copyOf(debtors, made * 2);
            free = Arrays.copyOf(free, made * 2);
        }
        int place = freeSize > 0 ? free[--freeSize] : made++;
        owed[place] = key;
        debtors[place] = flow;
        return place;
    }

    /**
     * The key that an idle flow left behind, which is no longer kept for it; the present where it owes nothing. A slot may also be what
     * another policy has left in it.
     */
    private long settle(FlowHandle flow) {
        int place = ~flow.slot();
        if (place < 0 || place >= made || debtors[place] != flow) {
            return now;
        }
        debtors[place] = null;
        free[freeSize++] = place;
        flow.slot(CLEAR);
        return owed[place];
    }

    /** For tests: idle flows whose debts are kept. */
    int debts() {
        return made - freeSize;
    }
}
