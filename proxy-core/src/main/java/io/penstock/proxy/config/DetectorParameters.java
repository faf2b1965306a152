package io.penstock.proxy.config;

import io.penstock.detect.Detectors;
import io.penstock.flow.plugin.PluginConfigException;
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
            Detectors.create(spec.type(), spec.name(), spec.parameters());
        } catch (PluginConfigException e) {
            report(item, parameters, known, e.problems(), true);
        }
        report(item, parameters, known, Detectors.notices(spec.type(), spec.parameters()), false);
        Object mode = spec.parameters().get("concurrencyMode");
        if ("tokens".equals(mode) || "hybrid".equals(mode)) {
            item.reading().warning(placeOf(item, parameters, "concurrencyMode"), parameters.path() + ".concurrencyMode: " + mode
                    + " counts no tokens yet, so its token limit holds nothing back (expected: requests)");
        }
    }

    private static void report(Field item, Field parameters, Set<String> known, List<PluginConfigException.Problem> problems,
            boolean error) {
        for (PluginConfigException.Problem problem : problems) {
            Location at = placeOf(item, parameters, problem.parameter());
            String message = parameters.path() + '.' + problem.message();
            String parameter = problem.parameter();
            if (!parameter.isEmpty() && !known.contains(parameter)) {
                message = parameters.path() + '.' + Text.shown(parameter) + ": unknown key " + Text.hint(parameter, known);
            }
            if (error) {
                item.reading().error(at, message);
            } else {
                item.reading().warning(at, message);
            }
        }
    }

    private static Location placeOf(Field item, Field parameters, String parameter) {
        YamlValue.Entry entry = parameters.value() instanceof YamlValue.Mapping mapping ? mapping.entries().get(parameter) : null;
        return entry == null ? item.at() : entry.keyAt();
    }
}
