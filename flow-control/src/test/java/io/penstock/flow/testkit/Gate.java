package io.penstock.flow.testkit;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A detector that a test opens and closes; it may be read and set from any thread. */
public final class Gate implements SaturationDetector {

    private volatile double saturation;
    private volatile double observed;

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
        set(0.0);
    }

    public void close() {
        set(1.0);
    }

    /** Sets any value. */
    public void set(double value) {
        saturation = value;
        observed = value;
    }

    /** Sets a value of which only some has been seen; NaN for nothing. */
    public void assume(double value, double seen) {
        saturation = value;
        observed = seen;
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
    public double observed(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        return observed;
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
