package io.penstock.proxy.config;

import io.penstock.flow.GateOn;
import io.penstock.flow.Stage;
import io.penstock.proxy.config.PluginType.Role;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Reads {@code saturationDetector}: the default detector, those of single stages, and the gate (seed 2). References are checked with the
 * feature gate off too, since the legacy path uses the detector. Pure but for problems.
 */
final class SaturationReader {

    /**
     * @param ignoredWhenOff keys that have no effect while flow control is off, with their paths
     */
    record Saturation(PluginSpec detector, Map<Stage, PluginSpec> stages, GateOn gateOn, List<String> ignoredWhenOff) {
    }

    private final Plugins plugins;

    SaturationReader(Plugins plugins) {
        this.plugins = plugins;
    }

    /** Reads the field, or takes the defaults when it is absent or wrong. */
    Saturation read(Field field) {
        Saturation read = field.map(this::section);
        return read != null ? read : new Saturation(detector(field, PluginType.UTILIZATION), Map.of(), GateOn.MAX, List.of());
    }

    private Saturation section(Section section) {
        Field reference = section.field("pluginRef");
        String name = reference.text("");
        PluginSpec detector = detector(reference, name.isEmpty() ? PluginType.UTILIZATION : name);
        Field stages = section.field("stages");
        Field gate = section.field("gateOn");
        Map<Stage, PluginSpec> byStage = stages.map(this::stages);
        List<String> ignored = new ArrayList<>();
        if (stages.value() instanceof YamlValue.Mapping mapping && !mapping.entries().isEmpty()) {
            ignored.add(stages.path());
        }
        if (gate.present() && !gate.is("")) {
            ignored.add(gate.path());
        }
        return new Saturation(detector, byStage == null ? Map.of() : byStage, gate.present() ? gateOn(gate) : GateOn.MAX, ignored);
    }

    private Map<Stage, PluginSpec> stages(Section section) {
        Map<Stage, PluginSpec> byStage = new EnumMap<>(Stage.class);
        for (Stage stage : Stage.values()) {
            if (!section.has(stage.label())) {
                continue;
            }
            Field reference = section.required(stage.label(), "a detector's name");
            String name = reference.name();
            Plugins.Declared plugin = name == null ? null : plugins.resolve(reference, name, Role.DETECTOR, true);
            if (plugin != null) {
                byStage.put(stage, plugin.spec());
            }
        }
        for (Stage stage : Stage.values()) {
            section.field(stage.label());
        }
        return byStage;
    }

    private PluginSpec detector(Field reference, String name) {
        if (name.equals(PluginType.UTILIZATION)) {
            plugins.injectDefaultDetector(reference.at());
        }
        Plugins.Declared plugin = plugins.resolve(reference, name, Role.DETECTOR, true);
        return plugin == null ? PluginSpec.plain(PluginType.UTILIZATION) : plugin.spec();
    }

    private static GateOn gateOn(Field field) {
        if (field.is("")) {
            return GateOn.MAX;
        }
        List<GateOn> all = GateOn.all();
        String chosen = field.choice(GateOn.MAX.label(), all.stream().map(GateOn::label).toArray(String[]::new));
        return all.stream().filter(gate -> gate.label().equals(chosen)).findFirst().orElse(GateOn.MAX);
    }
}
