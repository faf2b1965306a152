package io.penstock.flow.policy;

import java.util.List;

/**
 * What one {@code program-aware-fairness} plugin knows at one moment, for metrics (spec/flow-control sections 4.6 and 10). Immutable.
 *
 * @param plugin its name
 * @param jainIndex 0 to 1, how alike the programs' average waits are; 1.0 for fewer than two of them
 * @param programs those that it remembers now: one that is missing was evicted, and its series go
 */
public record ProgramsView(String plugin, double jainIndex, List<ProgramView> programs) {

    public ProgramsView {
        programs = List.copyOf(programs);
    }

    /**
     * One program, which is a fairness id in all bands.
     *
     * @param program its fairness id
     * @param dispatched requests that this policy has dispatched
     * @param averageWaitMillis of those; 0 when there are none
     * @param attainedService tokens that it had received, older ones decayed, when its last request ended; not decayed since
     */
    public record ProgramView(String program, long dispatched, double averageWaitMillis, double attainedService) {
    }
}
