package io.penstock.proxy.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a load: settings unless there is an error, and everything there is to say. Immutable.
 *
 * @param settings null exactly when a problem is an error
 * @param problems by source, line and column
 */
public record LoadResult(@Nullable Settings settings, List<Problem> problems) {

    public LoadResult {
        problems = List.copyOf(problems);
    }

    /** Those that keep the configuration from being used. */
    public List<Problem> errors() {
        return problems.stream().filter(problem -> problem.severity() == Problem.Severity.ERROR).toList();
    }
}
