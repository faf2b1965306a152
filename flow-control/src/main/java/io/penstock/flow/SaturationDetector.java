package io.penstock.flow;

import java.util.List;

/**
 * Says how loaded endpoints are. Called by the drainer: no blocking, no allocation, fails closed with 1.0. 0.0 is idle, 1.0 the set point;
 * values above it say how far past it and are never clamped.
 */
public interface SaturationDetector {

    /** The plugin's name. */
    String name();

    /** Saturation of a list of endpoints; 1.0 for an empty list. */
    double saturation(List<EndpointView> endpoints, long nowNanos);

    /** One endpoint's own ratio, by which placement ranks. */
    double load(EndpointView endpoint, long nowNanos);

    /** Whether one more request fits under the endpoint's own hard limit; true for detectors that have none. */
    boolean fits(EndpointView endpoint);
}
