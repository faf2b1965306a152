package io.penstock.proxy.config;

import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts what a plugin's own factory says of its parameters where the parameter stands. Pure but for problems. */
final class PluginProblems {

    private static final int MOST_SHOWN = 500;

    private final Field item;
    private final Field parameters;
    private final Set<String> known;

    /**
     * @param item the plugin
     * @param parameters of the plugin, which may be absent
     * @param known every parameter of its type
     */
    PluginProblems(Field item, Field parameters, Set<String> known) {
        this.item = item;
        this.parameters = parameters;
        this.known = known;
        parameters.reading().ask(parameters.path());
        known.forEach(name -> parameters.reading().ask(parameters.path() + '.' + name));
    }

    void errors(List<Problem> problems) {
        problems.forEach(problem -> item.reading().error(placeOf(problem), message(problem)));
    }

    void warnings(List<Problem> problems) {
        problems.forEach(problem -> item.reading().warning(placeOf(problem), message(problem)));
    }

    private String message(Problem problem) {
        String parameter = problem.parameter();
        if (parameter.isEmpty()) {
            return parameters.path() + ": " + problem.message();
        }
        if (known.contains(parameter)) {
            return parameters.path() + '.' + Text.shown(problem.message(), MOST_SHOWN);
        }
        String hint = known.isEmpty() ? "(expected: no parameters)" : Text.hint(parameter, known);
        return parameters.path() + '.' + Text.shown(parameter) + ": unknown key " + hint;
    }

    private Location placeOf(Problem problem) {
        YamlValue.Entry entry = entry(parameters.value(), problem.parameter());
        if (entry == null) {
            return problem.parameter().isEmpty() && parameters.present() ? parameters.at() : item.at();
        }
        YamlValue.Entry inner = entry(entry.value(), problem.key());
        return inner == null ? entry.keyAt() : inner.keyAt();
    }

    private static YamlValue.@Nullable Entry entry(@Nullable YamlValue value, String key) {
        return value instanceof YamlValue.Mapping mapping ? mapping.entries().get(key) : null;
    }
}
