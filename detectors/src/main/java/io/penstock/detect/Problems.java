package io.penstock.detect;

import io.penstock.detect.DetectorConfigException.Problem;
import io.penstock.flow.config.GoDuration;
import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with a detector's settings until all of them are checked. One thread, short-lived. */
final class Problems {

    private final List<Problem> found = new ArrayList<>();

    void add(String parameter, Object value, String expected) {
        found.add(new Problem(parameter, parameter + ": " + value + " (expected: " + expected + ')'));
    }

    void addAll(DetectorConfigException other) {
        found.addAll(other.problems());
    }

    void positive(String parameter, long value) {
        if (value < 1) {
            add(parameter, value, "1 or more");
        }
    }

    void positiveDuration(String parameter, long nanos) {
        if (nanos < 1) {
            add(parameter, GoDuration.format(nanos), "more than 0s");
        }
    }

    /** Not a number is refused too. */
    void fraction(String parameter, double value) {
        if (!(value > 0 && value <= 1)) {
            add(parameter, value, "more than 0, at most 1");
        }
    }

    /** Not a number and infinity are refused too. */
    void notNegative(String parameter, double value) {
        if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
            add(parameter, value, "0 or more");
        }
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            throw new DetectorConfigException(found);
        }
    }
}
