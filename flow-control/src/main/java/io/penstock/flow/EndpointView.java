package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/** One model server as detectors and placement see it. Any thread; each value is live. */
public interface EndpointView {

    /** {@code namespace/name}, unique in the pool. */
    String name();

    /** Requests dispatched to it whose lease is still open: exact, never an estimate. */
    int inFlightRequests();

    /** Tokens charged by open leases; 0 where nothing counts tokens. */
    long inFlightTokens();

    /** Requests dispatched since {@link #sample()} was taken whose lease is still open. */
    int dispatchedSinceSample();

    /**
     * Requests that {@link #sample()} has seen whose lease was closed since: as many places have come free in the engine. Never more than
     * there can be, 0 where nothing is known.
     */
    default int endedSinceSample() {
        return 0;
    }

    /** The newest scrape of its metrics, or null when there has been none: unknown, not idle. */
    @Nullable
    EngineSample sample();

    /** Asks for a scrape now; rate limited by the implementation, never blocks. */
    void requestSample();
}
