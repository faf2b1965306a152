package io.penstock.proxy.admitter;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The parameters of {@code probabilistic-admitter} (spec/flow-control section 1.5); each is more than 0.
 *
 * @param queueDepthThreshold requests in a model server's own queue at which it counts as full
 * @param kvCacheUtilThreshold used fraction of its KV cache at which it counts as full
 * @param power how late the chance begins to rise
 * @param k how steeply it rises then
 */
record ProbabilisticSettings(double queueDepthThreshold, double kvCacheUtilThreshold, double power, double k) {

    static final SortedSet<String> PARAMETERS = new TreeSet<>(List.of("queueDepthThreshold", "kvCacheUtilThreshold", "power", "k"));

    ProbabilisticSettings {
        Problems problems = new Problems();
        positive(problems, "queueDepthThreshold", queueDepthThreshold);
        positive(problems, "kvCacheUtilThreshold", kvCacheUtilThreshold);
        positive(problems, "power", power);
        positive(problems, "k", k);
        problems.throwIfAny();
    }

    static ProbabilisticSettings of(Map<String, ?> parameters) {
        Parameters read = new Parameters(parameters, PARAMETERS);
        double queue = read.decimal("queueDepthThreshold", 5);
        double kvCache = read.decimal("kvCacheUtilThreshold", 0.8);
        double power = read.decimal("power", 5);
        double k = read.decimal("k", 300);
        return read.build(() -> new ProbabilisticSettings(queue, kvCache, power, k));
    }

    /** Not a number and infinity are refused too. */
    private static void positive(Problems problems, String name, double value) {
        if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
            problems.add(name, value, "more than 0");
        }
    }
}
