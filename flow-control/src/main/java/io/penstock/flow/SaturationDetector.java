package io.penstock.flow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says how loaded endpoints are. Called by the drainer: no blocking, no allocation, fails closed with 1.0. 0.0 is idle, 1.0 the set point;
 * values above it say how far past it and are never clamped.
 */
public interface SaturationDetector {

    /** The plugin's name. */
    String name();

    /** Saturation of a list of endpoints; 1.0 for an empty list. */
    double saturation(List<EndpointView> endpoints, long nowNanos);

    /**
     * The same of one stage's endpoints, for detectors to which stages are not all the same.
     *
     * @param stage what the endpoints serve; null for a pool that is not split into stages
     */
    default double saturation(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        return saturation(endpoints, nowNanos);
    }

    /**
     * What of {@link #saturation} has been seen, without what is assumed of endpoints that nothing is known of; NaN when nothing has been
     * seen. A gate closes on an assumption, but nobody who runs is stopped for one.
     *
     * @param stage as in {@link #saturation}
     */
    default double observed(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        return saturation(stage, endpoints, nowNanos);
    }

    /**
     * It will not be asked about that stage again until the stage has endpoints: what it published of it goes.
     *
     * @param stage null when the pool is no longer measured as one
     */
    default void left(@Nullable Stage stage) {
    }

    /** One endpoint's own ratio, by which placement ranks. */
    double load(EndpointView endpoint, long nowNanos);

    /**
     * The same for the part that the endpoint plays in one stage.
     *
     * @param stage what the request needs the endpoint for; null in a pool that is not split into stages
     */
    default double load(@Nullable Stage stage, EndpointView endpoint, long nowNanos) {
        return load(endpoint, nowNanos);
    }

    /** Whether one more request fits under the endpoint's own hard limit; true for detectors that have none. */
    boolean fits(EndpointView endpoint);

    /**
     * The same for the part that the endpoint plays in one stage.
     *
     * @param stage what the request needs the endpoint for; null in a pool that is not split into stages
     */
    default boolean fits(@Nullable Stage stage, EndpointView endpoint) {
        return fits(endpoint);
    }
}
