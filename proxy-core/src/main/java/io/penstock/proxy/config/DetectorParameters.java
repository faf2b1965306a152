package io.penstock.proxy.config;

import io.penstock.detect.Detectors;
import io.penstock.flow.Stage;
import io.penstock.flow.plugin.PluginConfigException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Has the detectors' own factory check a plugin's parameters, and puts what it says where the parameter stands. Pure but for problems. */
final class DetectorParameters {

    private DetectorParameters() {
    }

    static void check(Field item, Field parameters, PluginSpec spec) {
        parameters.reading().ask(parameters.path());
        Set<String> known = Detectors.parameters(spec.type());
        known.forEach(name -> parameters.reading().ask(parameters.path() + '.' + name));
        try {
            Detectors.check(spec.type(), spec.name(), spec.parameters());
        } catch (PluginConfigException e) {
            report(item, parameters, known, e.problems(), true);
        }
        report(item, parameters, known, Detectors.notices(spec.type(), spec.parameters()), false);
    }

    private static void report(Field item, Field parameters, Set<String> known, List<PluginConfigException.Problem> problems,
            boolean error) {
        for (PluginConfigException.Problem problem : problems) {
            String parameter = problem.parameter();
            YamlPlace place = parameter.isEmpty() ? null : YamlPlace.of(parameters.value(), parameter);
            String message = parameters.path() + '.' + problem.message();
            if (place != null && place.topLevel() && !known.contains(parameter)) {
                message = parameters.path() + '.' + Text.shown(parameter) + ": unknown key " + Text.hint(parameter, known);
            } else if (place != null && !place.topLevel()) {
                message = withGuess(message, place.word(), candidates(parameter, parameters));
            }
            Location at = place == null ? item.at() : place.at();
            if (error) {
                item.reading().error(at, message);
            } else {
                item.reading().warning(at, message);
            }
        }
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

    private static String withGuess(String message, String word, List<String> candidates) {
        String near = candidates.contains(word) ? null : Text.nearest(word, candidates);
        return near == null ? message : message.substring(0, message.length() - 1) + "; did you mean " + near + "?)";
    }
}
