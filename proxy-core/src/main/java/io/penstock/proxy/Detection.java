package io.penstock.proxy;

import io.penstock.detect.Detectors;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.config.PluginSpec;
import io.penstock.proxy.endpoint.StageDetectors;
import io.penstock.proxy.metrics.PoolMeters;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjIntConsumer;

/**
 * The detectors that a configuration names: one instance a plugin name, which may serve several stages.
 *
 * @param byDefault for every stage without its own, and for the whole pool
 * @param stages a stage's own (seed 2)
 */
record Detection(SaturationDetector byDefault, Map<Stage, SaturationDetector> stages) {

    static Detection of(PickerSettings settings, PoolMeters meters) {
        Map<String, SaturationDetector> made = new HashMap<>();
        Map<Stage, SaturationDetector> stages = new EnumMap<>(Stage.class);
        settings.stageDetectors().forEach((stage, spec) -> stages.put(stage, make(made, spec, meters)));
        return new Detection(make(made, settings.defaultDetector(), meters), stages);
    }

    private static SaturationDetector make(Map<String, SaturationDetector> made, PluginSpec spec, PoolMeters meters) {
        return made.computeIfAbsent(spec.name(),
                name -> Detectors.create(spec.type(), name, spec.parameters(), new StaleEndpoints(meters)));
    }

    /**
     * What one detector said last of endpoints without a fresh sample. Shown from its first report on, so never for a detector that does
     * not count them. Written by whoever asks the detector, read by scrapes.
     */
    private static final class StaleEndpoints implements ObjIntConsumer<String> {

        private final PoolMeters meters;
        private volatile int count;
        private volatile boolean shown;

        StaleEndpoints(PoolMeters meters) {
            this.meters = meters;
        }

        @Override
        public void accept(String detector, int stale) {
            count = stale;
            if (!shown) {
                shown = true;
                meters.staleEndpoints(detector, () -> count);
            }
        }
    }

    /** The stages whose limits per endpoint hold: a stage that does not gate is only watched (seed 2). */
    static Set<Stage> limiting(PickerSettings settings) {
        if (!settings.flowControlEnabled()) {
            return Set.of();
        }
        Stage gating = settings.flowControl().gateOn().stage();
        return gating == null ? Set.of(Stage.values()) : Set.of(gating);
    }

    /** Those whose ratios rank endpoints in placement. */
    StageDetectors forPlacement() {
        return new StageDetectors(stages.getOrDefault(Stage.PREFILL, byDefault), stages.getOrDefault(Stage.DECODE, byDefault));
    }
}
