package io.penstock.proxy;

import io.penstock.detect.DetectorEvents;
import io.penstock.detect.Detectors;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.config.PluginSpec;
import io.penstock.proxy.endpoint.StageDetectors;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The detectors that a configuration names: one instance a plugin name, which may serve several stages and be asked by others.
 *
 * @param byDefault for every stage without its own, and for the whole pool
 * @param stages a stage's own (seed 2)
 */
record Detection(SaturationDetector byDefault, Map<Stage, SaturationDetector> stages) {

    static Detection of(PickerSettings settings, DetectorEvents events) {
        Factory factory = new Factory(settings.plugins(), events);
        Map<Stage, SaturationDetector> stages = new EnumMap<>(Stage.class);
        settings.stageDetectors().forEach((stage, spec) -> stages.put(stage, factory.make(spec)));
        return new Detection(factory.make(settings.defaultDetector()), stages);
    }

    /** Makes those that another one asks before that one; the configuration has no circles. */
    private static final class Factory {

        private final Map<String, PluginSpec> plugins;
        private final DetectorEvents events;
        private final Map<String, SaturationDetector> made = new HashMap<>();

        Factory(Map<String, PluginSpec> plugins, DetectorEvents events) {
            this.plugins = plugins;
            this.events = events;
        }

        SaturationDetector make(PluginSpec spec) {
            SaturationDetector known = made.get(spec.name());
            if (known != null) {
                return known;
            }
            Detectors.children(spec.type(), spec.name(), spec.parameters()).forEach(this::named);
            SaturationDetector detector = Detectors.create(spec.type(), spec.name(), spec.parameters(), this::named, events);
            made.put(spec.name(), detector);
            return detector;
        }

        private SaturationDetector named(String name) {
            PluginSpec spec = plugins.get(name);
            if (spec == null) {
                throw new IllegalStateException("detectors: " + name + " (expected: a plugin; the configuration was checked)");
            }
            return make(spec);
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
