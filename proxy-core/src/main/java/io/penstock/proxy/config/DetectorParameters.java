package io.penstock.proxy.config;

import io.penstock.detect.Detectors;
import io.penstock.flow.Stage;
import java.util.Arrays;
import java.util.List;

/** Has the detectors' own factory check a plugin's parameters, and puts what it says where the parameter stands. Pure but for problems. */
final class DetectorParameters {

    private DetectorParameters() {
    }

    static void check(Field item, Field parameters, PluginSpec spec) {
        PluginProblems problems = new PluginProblems(item, parameters, Detectors.parameters(spec.type()),
                path -> candidates(path, parameters));
        problems.check(() -> Detectors.check(spec.type(), spec.name(), spec.parameters()));
        problems.warnings(Detectors.notices(spec.type(), spec.parameters()));
    }

    /** What may stand at a place inside of {@code stages}: names of detectors as keys, stages in the lists. */
    private static List<String> candidates(String path, Field parameters) {
        if (!path.startsWith("stages.")) {
            return List.of();
        }
        if (path.endsWith("]")) {
            return Arrays.stream(Stage.values()).map(Stage::label).toList();
        }
        YamlPlace detectors = YamlPlace.of(parameters.value(), "detectors");
        return detectors != null && detectors.value() instanceof YamlValue.Sequence list ? list.items().stream()
                .filter(YamlValue.Scalar.class::isInstance).map(name -> ((YamlValue.Scalar) name).text()).toList() : List.of();
    }
}
