package io.penstock.flow.model;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The engine does what the model does, whatever comes in whatever order: outcomes, order of dispatch, counts, headroom, times. A difference
 * is shrunk by deletion and printed with the seed that made it, which {@code -Dpenstock.model.seed} plays alone.
 */
class ModelTest {

    private static final int SCRIPTS = 10_000;
    private static final int FIXED = 1_000;

    @Test
    void theEngineDoesWhatTheModelDoesInScriptsThatAreAlwaysTheSame() {
        for (int seed = 0; seed < FIXED; seed++) {
            check(seed);
        }
    }

    @Test
    void theEngineDoesWhatTheModelDoesInScriptsThatNobodyHasSeen() {
        Long one = Long.getLong("penstock.model.seed");
        if (one != null) {
            check(one);
            return;
        }
        Random seeds = new Random();
        for (int i = 0; i < SCRIPTS; i++) {
            check(seeds.nextLong());
        }
    }

    private static void check(long seed) {
        Script script = new Generator(seed).script();
        if (!script.difference().isEmpty()) {
            Script shrunk = script.shrunk();
            throw new AssertionError("seed " + seed + ", shrunk to " + shrunk.steps().size() + " steps:\n" + shrunk.print()
                    + shrunk.difference());
        }
    }
}
