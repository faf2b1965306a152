package io.penstock.proxy.config;

import io.penstock.flow.PoolView;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import io.penstock.proxy.admitter.Admitters;
import java.util.SortedSet;

/** Has the admitters' own factory check a plugin's parameters, and puts what it says where the parameter stands. Pure but for problems. */
final class AdmitterParameters {

    private AdmitterParameters() {
    }

    static void check(Field item, Field parameters, PluginSpec spec) {
        SortedSet<String> known = Admitters.parameters(spec.type());
        parameters.reading().ask(parameters.path());
        known.forEach(name -> parameters.reading().ask(parameters.path() + '.' + name));
        try {
            Admitters.create(spec.type(), spec.name(), spec.parameters(), () -> PoolView.EMPTY, () -> 0);
        } catch (PluginConfigException e) {
            e.problems().forEach(problem -> report(item, parameters, known, problem));
        }
        if (spec.type().equals(Admitters.LATENCY_SLO)) {
            item.warning(spec.type() + ": lets every request go, since nothing predicts latencies yet");
        }
    }

    private static void report(Field item, Field parameters, SortedSet<String> known, Problem problem) {
        String name = problem.parameter();
        YamlValue.Entry entry = parameters.value() instanceof YamlValue.Mapping mapping ? mapping.entries().get(name) : null;
        String message = known.contains(name) ? problem.message() : Text.shown(name) + ": unknown key " + Text.hint(name, known);
        item.reading().error(entry == null ? item.at() : entry.keyAt(), parameters.path() + '.' + message);
    }
}
