package io.penstock.proxy.config;

import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Puts what a plugin's own factory says of its parameters where the parameter stands. Pure but for problems. */
final class PluginProblems {

    private static final int MOST_SHOWN = 500;

    private final Field item;
    private final Field parameters;
    private final Set<String> known;
    private final Function<String, List<String>> candidates;

    /**
     * @param item the plugin
     * @param parameters of the plugin, which may be absent
     * @param known every parameter of its type
     */
    PluginProblems(Field item, Field parameters, Set<String> known) {
        this(item, parameters, known, path -> List.of());
    }

    /** @param candidates what may stand at a path inside of a parameter, for guesses at what was meant; empty for anything */
    PluginProblems(Field item, Field parameters, Set<String> known, Function<String, List<String>> candidates) {
        this.item = item;
        this.parameters = parameters;
        this.known = known;
        this.candidates = candidates;
        parameters.reading().ask(parameters.path());
        known.forEach(name -> parameters.reading().ask(parameters.path() + '.' + name));
    }

    /** Runs the factory's check; what that refuses is an error. */
    void check(Runnable factory) {
        try {
            factory.run();
        } catch (PluginConfigException e) {
            e.problems().forEach(problem -> {
                YamlPlace place = YamlPlace.of(parameters.value(), problem.parameter());
                item.reading().error(at(problem, place), message(problem, place));
            });
        }
    }

    void warnings(List<Problem> problems) {
        problems.forEach(problem -> {
            YamlPlace place = YamlPlace.of(parameters.value(), problem.parameter());
            item.reading().warning(at(problem, place), message(problem, place));
        });
    }

    private String message(Problem problem, @Nullable YamlPlace place) {
        String parameter = problem.parameter();
        if (parameter.isEmpty()) {
            return parameters.path() + ": " + problem.message();
        }
        if (place != null && place.topLevel() && !known.contains(parameter)) {
            String hint = known.isEmpty() ? "(expected: no parameters)" : Text.hint(parameter, known);
            return parameters.path() + '.' + Text.shown(parameter) + ": unknown key " + hint;
        }
        String message = place == null || place.topLevel() ? problem.message() : guessed(problem, place.word());
        return parameters.path() + '.' + Text.shown(message, MOST_SHOWN);
    }

    private String guessed(Problem problem, String word) {
        String message = problem.message();
        List<String> possible = candidates.apply(problem.parameter());
        String near = possible.contains(word) ? null : Text.nearest(word, possible);
        return near == null ? message : message.substring(0, message.length() - 1) + "; did you mean " + near + "?)";
    }

    private Location at(Problem problem, @Nullable YamlPlace place) {
        if (place != null) {
            return place.at();
        }
        return problem.parameter().isEmpty() && parameters.present() ? parameters.at() : item.at();
    }
}
