package io.penstock.flow.plugin;

import java.util.List;
import java.util.stream.Collectors;

/** Refuses a plugin's type or parameters; it holds every problem, so that all of them can be shown at once. Immutable. */
public final class PluginConfigException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /** @param problems at least one */
    public PluginConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::message).collect(Collectors.joining("; ")));
        this.problems = List.copyOf(problems);
    }

    /** At least one, in the order of the given parameters' check. */
    public List<Problem> problems() {
        return problems;
    }

    /**
     * One thing that is wrong.
     *
     * @param parameter the parameter it is about, as written in the configuration; empty when it is about the type
     * @param key the key inside of it, for a parameter that is a map; empty when it is about the whole parameter
     * @param message in the form {@code name: value (expected: …)}
     */
    public record Problem(String parameter, String key, String message) {

        public Problem(String parameter, String message) {
            this(parameter, "", message);
        }
    }
}
