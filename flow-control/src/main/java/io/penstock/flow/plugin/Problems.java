package io.penstock.flow.plugin;

import io.penstock.flow.config.GoDuration;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with a plugin's settings until all of them are checked. One thread, short-lived. */
public final class Problems {

    private final List<Problem> found = new ArrayList<>();

    public void add(String parameter, Object value, String expected) {
        found.add(new Problem(parameter, parameter + ": " + value + " (expected: " + expected + ')'));
    }

    void addAll(PluginConfigException other) {
        found.addAll(other.problems());
    }

    public void positive(String parameter, long value) {
        if (value < 1) {
            add(parameter, value, "1 or more");
        }
    }

    public void positiveDuration(String parameter, long nanos) {
        if (nanos < 1) {
            add(parameter, GoDuration.format(nanos), "more than 0s");
        }
    }

    /** Not a number is refused too. */
    public void fraction(String parameter, double value) {
        if (!(value > 0 && value <= 1)) {
            add(parameter, value, "more than 0, at most 1");
        }
    }

    /** Not a number and infinity are refused too. */
    public void notNegative(String parameter, double value) {
        if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
            add(parameter, value, "0 or more");
        }
    }

    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new PluginConfigException(found);
        }
    }
}
