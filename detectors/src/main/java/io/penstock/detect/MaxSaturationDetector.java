package io.penstock.detect;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The highest of several detectors (spec/flow-control section 14). A child counts for the stages it is given, and always where the pool is
 * not split into stages; a stage for which none counts is 0. A child that throws, or whose answer is no number, counts as 1.0. Without
 * state: any thread.
 */
final class MaxSaturationDetector implements SaturationDetector {

    static final String TYPE = "max-saturation-detector";

    private static final double SATURATED = 1.0;

    /** @param stages those that it counts for */
    record Child(SaturationDetector detector, Set<Stage> stages) {

        boolean countsFor(@Nullable Stage stage) {
            return stage == null || stages.contains(stage);
        }
    }

    private final String name;
    private final Child[] children;
    private final DetectorEvents events;

    MaxSaturationDetector(String name, List<Child> children, DetectorEvents events) {
        this.name = name;
        this.children = children.toArray(Child[]::new);
        this.events = events;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double saturation(List<EndpointView> endpoints, long nowNanos) {
        return saturation(null, endpoints, nowNanos);
    }

    @Override
    public double saturation(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        double highest = endpoints.isEmpty() ? SATURATED : 0;
        for (Child child : children) {
            if (child.countsFor(stage)) {
                double value = ask(child.detector, stage, endpoints, nowNanos);
                events.measured(child.detector.name(), stage, value);
                highest = Math.max(highest, value);
            }
        }
        return highest;
    }

    /** The highest that a child has seen; a child that throws has seen nothing. */
    @Override
    public double observed(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        double highest = Double.NaN;
        for (Child child : children) {
            if (child.countsFor(stage)) {
                double value = observedBy(child.detector, stage, endpoints, nowNanos);
                if (!(value <= highest) && !Double.isNaN(value)) {
                    highest = value;
                }
            }
        }
        return highest;
    }

    private double observedBy(SaturationDetector child, @Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        try {
            return child.observed(stage, endpoints, nowNanos);
        } catch (Throwable broken) {
            events.failed(child.name(), broken);
            return Double.NaN;
        }
    }

    private double ask(SaturationDetector child, @Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
        try {
            return numberOrSaturated(child.saturation(stage, endpoints, nowNanos));
        } catch (Throwable broken) {
            events.failed(child.name(), broken);
            return SATURATED;
        }
    }

    @Override
    public void left(@Nullable Stage stage) {
        for (Child child : children) {
            if (child.countsFor(stage)) {
                events.left(child.detector.name(), stage);
                leave(child.detector, stage);
            }
        }
    }

    private void leave(SaturationDetector child, @Nullable Stage stage) {
        try {
            child.left(stage);
        } catch (Throwable broken) {
            events.failed(child.name(), broken);
        }
    }

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        return load(null, endpoint, nowNanos);
    }

    @Override
    public double load(@Nullable Stage stage, EndpointView endpoint, long nowNanos) {
        double highest = 0;
        for (Child child : children) {
            if (child.countsFor(stage)) {
                highest = Math.max(highest, loadOf(child.detector, stage, endpoint, nowNanos));
            }
        }
        return highest;
    }

    private double loadOf(SaturationDetector child, @Nullable Stage stage, EndpointView endpoint, long nowNanos) {
        try {
            return numberOrSaturated(child.load(stage, endpoint, nowNanos));
        } catch (Throwable broken) {
            events.failed(child.name(), broken);
            return SATURATED;
        }
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return fits(null, endpoint);
    }

    @Override
    public boolean fits(@Nullable Stage stage, EndpointView endpoint) {
        for (Child child : children) {
            if (child.countsFor(stage) && !fitsOn(child.detector, stage, endpoint)) {
                return false;
            }
        }
        return true;
    }

    private boolean fitsOn(SaturationDetector child, @Nullable Stage stage, EndpointView endpoint) {
        try {
            return child.fits(stage, endpoint);
        } catch (Throwable broken) {
            events.failed(child.name(), broken);
            return false;
        }
    }

    private static double numberOrSaturated(double value) {
        return Double.isNaN(value) ? SATURATED : value;
    }
}
