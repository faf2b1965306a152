package io.penstock.flow.engine;

import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.GateOn;
import io.penstock.flow.PoolView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.SaturationView;
import io.penstock.flow.Stage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures each stage with its own detector, or the default one, and says what dispatch is gated on (seed 2, spec/flow-control section
 * 6.4). A stage without endpoints is left out; a named one without endpoints is 1.0 in every case; no stage at all asks the default
 * detector about the whole pool. Measured by the drainer; {@link #view} is for any thread.
 */
final class StageGate {

    private static final Stage[] STAGES = Stage.values();
    private static final double CLOSED = 1.0;

    private SaturationDetector defaultDetector;
    private final SaturationDetector[] detectors = new SaturationDetector[STAGES.length];
    private @Nullable Stage gateOn;
    private final FlowEvents events;

    /** NaN: the stage has no endpoints. */
    private final double[] measured = new double[STAGES.length];
    private final boolean[] known = new boolean[STAGES.length];
    private @Nullable PoolView members;
    private double published = Double.NaN;
    private boolean broken;

    private volatile double lastPrefill = Double.NaN;
    private volatile double lastDecode = Double.NaN;
    private volatile double lastEffective = CLOSED;

    StageGate(Collaborators with, GateOn gateOn) {
        this.events = with.events();
        this.defaultDetector = with.defaultDetector();
        configure(with, gateOn);
    }

    /** Asks other detectors from now on; what was measured last stays so until then. */
    void configure(Collaborators with, GateOn on) {
        if (members != null) {
            leaveAll(members);
        }
        defaultDetector = with.defaultDetector();
        for (Stage stage : STAGES) {
            detectors[stage.ordinal()] = with.stageDetectors().getOrDefault(stage, defaultDetector);
        }
        gateOn = on.stage();
    }

    /** The saturation that dispatch is gated on; NaN, which is below no ceiling, when its detector is broken. */
    double measure(PoolView pool, long now) {
        if (pool != members) {
            if (members != null) {
                regroup(members, pool);
            }
            members = pool;
        }
        double highest = Double.NEGATIVE_INFINITY;
        boolean any = false;
        boolean anyBroken = false;
        for (Stage stage : STAGES) {
            List<EndpointView> group = pool.stage(stage);
            double value = Double.NaN;
            if (!group.isEmpty()) {
                value = ask(detectors[stage.ordinal()], scope(pool, stage), group, now);
                if (gateOn == null || gateOn == stage) {
                    anyBroken |= broken;
                }
                any = true;
                highest = Math.max(highest, value);
            }
            publish(stage, value, group.isEmpty());
        }
        double effective;
        if (gateOn != null) {
            effective = pool.stage(gateOn).isEmpty() ? CLOSED : measured[gateOn.ordinal()];
        } else if (any) {
            effective = highest;
        } else {
            effective = ask(defaultDetector, null, pool.endpoints(), now);
            anyBroken = broken;
        }
        publishEffective(effective);
        return anyBroken ? Double.NaN : effective;
    }

    /** What of the last {@link #measure} has been seen and not assumed, of the same pool; NaN when nothing has. */
    double observed(PoolView pool, long now) {
        if (gateOn != null) {
            return observed(detectors[gateOn.ordinal()], scope(pool, gateOn), pool.stage(gateOn), now);
        }
        double highest = Double.NaN;
        boolean any = false;
        for (Stage stage : STAGES) {
            List<EndpointView> group = pool.stage(stage);
            if (!group.isEmpty()) {
                any = true;
                double value = observed(detectors[stage.ordinal()], scope(pool, stage), group, now);
                if (!(value <= highest) && !Double.isNaN(value)) {
                    highest = value;
                }
            }
        }
        return any ? highest : observed(defaultDetector, null, pool.endpoints(), now);
    }

    private double observed(SaturationDetector detector, @Nullable Stage stage, List<EndpointView> endpoints, long now) {
        try {
            return detector.observed(stage, endpoints, now);
        } catch (Throwable thrown) {
            events.failed(detector.name(), thrown);
            return Double.NaN;
        }
    }

    /** Whether what gates dispatch has an endpoint at all. */
    boolean hasEndpoints(PoolView pool) {
        return gateOn == null ? !pool.isEmpty() : !pool.stage(gateOn).isEmpty();
    }

    /** What was measured last. */
    SaturationView view() {
        return new SaturationView(orNull(lastPrefill), orNull(lastDecode), lastEffective);
    }

    /** As what a detector is asked about a stage's endpoints: a pool without any role is not split. */
    private static @Nullable Stage scope(PoolView pool, Stage stage) {
        return pool.split() ? stage : null;
    }

    /** The membership changed: detectors hear which of the things that they were asked about are gone, before they are asked again. */
    private void regroup(PoolView before, PoolView after) {
        for (Stage stage : STAGES) {
            boolean wasAsked = !before.stage(stage).isEmpty();
            boolean isAsked = !after.stage(stage).isEmpty();
            if (wasAsked && (!isAsked || before.split() != after.split())) {
                leave(detectors[stage.ordinal()], scope(before, stage));
            }
        }
        if (asksAboutAll(before) && !asksAboutAll(after)) {
            leave(defaultDetector, null);
        }
    }

    /** Other detectors follow: the present ones hear that nothing of what they were asked about is theirs any more. */
    private void leaveAll(PoolView pool) {
        for (Stage stage : STAGES) {
            if (!pool.stage(stage).isEmpty()) {
                leave(detectors[stage.ordinal()], scope(pool, stage));
            }
        }
        if (asksAboutAll(pool)) {
            leave(defaultDetector, null);
        }
    }

    private boolean asksAboutAll(PoolView pool) {
        for (Stage stage : STAGES) {
            if (!pool.stage(stage).isEmpty()) {
                return false;
            }
        }
        return gateOn == null;
    }

    private void leave(SaturationDetector detector, @Nullable Stage stage) {
        try {
            detector.left(stage);
        } catch (Throwable thrown) {
            events.failed(detector.name(), thrown);
        }
    }

    private double ask(SaturationDetector detector, @Nullable Stage stage, List<EndpointView> endpoints, long now) {
        broken = false;
        try {
            double value = detector.saturation(stage, endpoints, now);
            if (!Double.isNaN(value)) {
                return value;
            }
            broken = true;
        } catch (Throwable thrown) {
            broken = true;
            events.failed(detector.name(), thrown);
        }
        return CLOSED;
    }

    private void publish(Stage stage, double value, boolean empty) {
        int index = stage.ordinal();
        if (known[index] && Double.compare(measured[index], value) == 0) {
            return;
        }
        known[index] = true;
        measured[index] = value;
        if (stage == Stage.PREFILL) {
            lastPrefill = value;
        } else {
            lastDecode = value;
        }
        if (empty) {
            events.stageEmpty(stage);
        } else {
            events.stageSaturation(stage, value);
        }
    }

    private void publishEffective(double effective) {
        if (Double.compare(published, effective) != 0) {
            published = effective;
            lastEffective = effective;
            events.effectiveSaturation(effective);
        }
    }

    private static @Nullable Double orNull(double value) {
        return Double.isNaN(value) ? null : Double.valueOf(value);
    }
}
