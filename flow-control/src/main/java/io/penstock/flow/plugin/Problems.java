package io.penstock.flow.plugin;

import io.penstock.flow.config.GoDuration;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Collects what is wrong with a plugin's settings until all of them are checked. One thread, short-lived. */
public final class Problems {

    private static final double MOST_WHOLE = 1e15;

    private final List<Problem> found = new ArrayList<>();

    /** @param parameter or the path of a value inside of one */
    public void add(String parameter, Object value, String expected) {
        found.add(new Problem(parameter, parameter + ": " + shown(value) + " (expected: " + expected + ')'));
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

    /** Not a number is refused too. */
    public void within(String parameter, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            add(parameter, value, range(least, most));
        }
    }

    /** Each value of a map of numbers. */
    public void within(String parameter, Map<String, Double> values, double least, double most) {
        values.forEach((key, value) -> {
            if (!(value >= least && value <= most)) {
                add(parameter + '.' + key, value, range(least, most));
            }
        });
    }

    private static String range(double least, double most) {
        return shown(least) + " to " + shown(most);
    }

    /** A whole number without the decimals that it may not have been written with. */
    private static Object shown(Object value) {
        boolean whole = value instanceof Double number && number == Math.rint(number) && Math.abs(number) < MOST_WHOLE;
        return whole ? ((Double) value).longValue() : value;
    }

    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new PluginConfigException(found);
        }
    }
}
