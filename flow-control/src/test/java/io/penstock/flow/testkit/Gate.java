package io.penstock.flow.testkit;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import java.util.List;

/** A detector that a test opens and closes; it may be read and set from any thread. */
public final class Gate implements SaturationDetector {

    private volatile double saturation;

    /** A gate that lets everything through. */
    public static Gate opened() {
        return new Gate();
    }

    /** A gate that lets nothing through. */
    public static Gate closed() {
        Gate gate = new Gate();
        gate.close();
        return gate;
    }

    public void open() {
        saturation = 0.0;
    }

    public void close() {
        saturation = 1.0;
    }

    /** Sets any value. */
    public void set(double value) {
        saturation = value;
    }

    @Override
    public String name() {
        return "gate";
    }

    @Override
    public double saturation(List<EndpointView> endpoints, long nowNanos) {
        return saturation;
    }

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        return saturation;
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return true;
    }
}
