package io.penstock.bench;

import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.Lease;
import io.penstock.flow.SaturationDetector;
import org.jspecify.annotations.Nullable;

/** Endpoint, detector and lease in one object, whose counts are always 0: nothing in it is what is measured. */
abstract class OneEndpoint implements EndpointView, SaturationDetector, Lease {

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        return 0;
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return true;
    }

    @Override
    public EndpointView endpoint() {
        return this;
    }

    @Override
    public void close() {
    }

    @Override
    public String name() {
        return "e1";
    }

    @Override
    public int inFlightRequests() {
        return 0;
    }

    @Override
    public long inFlightTokens() {
        return 0;
    }

    @Override
    public int dispatchedSinceSample() {
        return 0;
    }

    @Override
    public @Nullable EngineSample sample() {
        return null;
    }

    @Override
    public void requestSample() {
    }
}
