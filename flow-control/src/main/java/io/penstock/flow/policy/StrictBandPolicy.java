package io.penstock.flow.policy;

import io.penstock.flow.BandCandidates;
import io.penstock.flow.BandSelectionPolicy;

/** The higher band first, always: the default, and llm-d's only one (spec/flow-control section 4.1). Stateless, any thread. */
public final class StrictBandPolicy implements BandSelectionPolicy {

    /** What it calls itself. No plugin type: it is what holds where the configuration names none. */
    public static final String TYPE = "strict-band-policy";
    /** The one instance. */
    public static final StrictBandPolicy INSTANCE = new StrictBandPolicy();

    private StrictBandPolicy() {
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public void rank(BandCandidates bands, long nowNanos, int[] order) {
        // The order comes in as strict priority.
    }

    @Override
    public void dispatched(int priority, long nowNanos) {
        // No turns to move on.
    }
}
