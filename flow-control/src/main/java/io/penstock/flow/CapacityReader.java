package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/** Read-only view of how full the bands are, for the response path (seed 1). Any thread, O(1), no lock. */
@FunctionalInterface
public interface CapacityReader {

    /** The band's counts at this moment, or null when there is no such band. */
    @Nullable
    CapacitySnapshot capacitySnapshot(int priority);
}
