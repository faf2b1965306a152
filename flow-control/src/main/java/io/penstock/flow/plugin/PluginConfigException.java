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
     * @param parameter the parameter it is about, as written in the configuration, or the path inside of one, such as {@code weights.a} or
     *         {@code stages.b[0]}; empty when it is about the type
     * @param message in the form {@code name: value (expected: …)}
     */
    public record Problem(String parameter, String message) {
    }
}
