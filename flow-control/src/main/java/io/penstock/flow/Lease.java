package io.penstock.flow;

/**
 * One request's charge on one endpoint, from dispatch to the last byte. Whoever holds it closes it, from any thread; only the first
 * {@link #close()} counts.
 */
public interface Lease extends AutoCloseable {

    EndpointView endpoint();

    /** Gives the charge back. The gate may dispatch the next request at once. */
    @Override
    void close();
}
