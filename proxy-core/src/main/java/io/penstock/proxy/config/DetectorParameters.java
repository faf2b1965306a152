package io.penstock.proxy.config;

import io.penstock.detect.Detectors;
import io.penstock.flow.plugin.PluginConfigException;

/** Has the detectors' own factory check a plugin's parameters, and puts what it says where the parameter stands. Pure but for problems. */
final class DetectorParameters {

    private DetectorParameters() {
    }

    static void check(Field item, Field parameters, PluginSpec spec) {
        PluginProblems problems = new PluginProblems(item, parameters, Detectors.parameters(spec.type()));
        try {
            Detectors.create(spec.type(), spec.name(), spec.parameters());
        } catch (PluginConfigException e) {
            problems.errors(e.problems());
        }
        problems.warnings(Detectors.notices(spec.type(), spec.parameters()));
    }
}
