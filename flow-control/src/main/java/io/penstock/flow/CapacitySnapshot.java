package io.penstock.flow;

/**
 * How full one band is.
 *
 * @param maxRequests the band's limit of waiting requests, or {@link #UNBOUNDED}
 * @param requests requests admitted to the band and not yet dispatched, cancelled or expired
 */
public record CapacitySnapshot(long maxRequests, long requests) {

    /** No limit. */
    public static final long UNBOUNDED = -1;

    /** Whether the band has a limit, so that headroom means something. */
    public boolean bounded() {
        return maxRequests != UNBOUNDED;
    }

    /** {@code max(0, maxRequests - requests)}; a band over its limit, after a reload that lowered it, has none. */
    public long headroomRequests() {
        return Math.max(0, maxRequests - requests);
    }
}
