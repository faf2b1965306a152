package io.penstock.flow.engine;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.config.BandConfig;

/**
 * The two limits of one scope, changed together. Immutable but for the snapshots, which are made once per count and then shared: reading
 * headroom on the response path allocates nothing. Any thread.
 */
final class CountLimits {

    /** Counts above this get a snapshot of their own each time: a full band is no path to hurry on. */
    private static final int SHARED_SNAPSHOTS = 8192;

    /** As configured, {@link CapacitySnapshot#UNBOUNDED} included. */
    final long maxRequests;
    /** As configured, {@link CapacitySnapshot#UNBOUNDED} included. */
    final long maxBytes;
    /** What {@link Occupancy} may count to. */
    final long requestsEnd;
    /** What {@link Occupancy} may count to. */
    final long bytesEnd;

    private final CapacitySnapshot[] snapshots;

    CountLimits(long maxRequests, long maxBytes) {
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
        this.requestsEnd = maxRequests == CapacitySnapshot.UNBOUNDED ? BandConfig.MAX_REQUESTS : maxRequests;
        this.bytesEnd = maxBytes == CapacitySnapshot.UNBOUNDED ? BandConfig.MAX_BYTES : maxBytes;
        this.snapshots = new CapacitySnapshot[(int) Math.min(requestsEnd + 1, SHARED_SNAPSHOTS)];
    }

    /** Whether one more request of that size does not fit to what an {@link Occupancy} read. */
    boolean reached(long word, long bytes) {
        return Occupancy.requests(word) >= requestsEnd || bytes > bytesEnd - Occupancy.bytes(word);
    }

    CapacitySnapshot snapshot(long requests) {
        if (requests >= snapshots.length) {
            return new CapacitySnapshot(maxRequests, requests);
        }
        // A race makes two equal records and keeps one; a record's final fields are safe to hand over without a fence.
        CapacitySnapshot known = snapshots[(int) requests];
        if (known == null) {
            known = new CapacitySnapshot(maxRequests, requests);
            snapshots[(int) requests] = known;
        }
        return known;
    }
}
