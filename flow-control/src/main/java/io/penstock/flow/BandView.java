package io.penstock.flow;

import java.util.List;

/**
 * One band as an operator sees it. A request that was taken back after a dispatch, and waits at the head of the band for another endpoint,
 * counts in {@code oldestWaitNanos} and nowhere else: it takes no place, and was dispatched once already.
 *
 * @param priority the band
 * @param maxRequests limit of waiting requests, or {@link CapacitySnapshot#UNBOUNDED}
 * @param requests waiting requests
 * @param maxBytes limit of waiting bytes, or {@link CapacitySnapshot#UNBOUNDED}
 * @param bytes waiting bytes
 * @param dispatchedTotal requests dispatched since start, a replay not counted again
 * @param rejectedTotal refused or expired since start; one that expired when it waited again, after a failover, is in both totals
 * @param oldestWaitNanos age of the oldest waiting request, 0 when none waits; with another order than that of arrival, the oldest of
 *         those that are next in their flow
 * @param flowCount flows that have waiting requests
 * @param flows the first 100 of them by waiting requests
 */
public record BandView(int priority, long maxRequests, long requests, long maxBytes, long bytes, long dispatchedTotal, long rejectedTotal,
        long oldestWaitNanos, int flowCount, List<FlowView> flows) {

    /**
     * One flow of a band.
     *
     * @param fairnessId the flow's fairness id
     * @param requests its waiting requests
     */
    public record FlowView(String fairnessId, long requests) {
    }
}
