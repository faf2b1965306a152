package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/**
 * One request's charge on one endpoint, from dispatch to the last byte. Whoever holds it closes it, from any thread; only the first
 * {@link #close()} counts.
 */
public interface Lease extends AutoCloseable {

    EndpointView endpoint();

    /** The endpoint that is charged for the prefill of the same request, or null when {@link #endpoint()} does all of the work. */
    default @Nullable EndpointView prefill() {
        return null;
    }

    /**
     * The first byte of the response's body came in: what was charged for the prompt alone is given back, where the configuration counts
     * that way (spec/flow-control section 5.3). Only the first call counts, and none after {@link #close()}.
     */
    default void firstByte() {
    }

    /** Gives the charge back. The gate may dispatch the next request at once. */
    @Override
    void close();
}
