package io.penstock.proxy.admitter;

import io.penstock.flow.PoolView;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.plugin.PluginConfigException.Problem;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** Makes admitters from a plugin's type and parameters. Stateless, any thread. */
public final class Admitters {

    /** Its decisions need predictions, which nothing makes yet. */
    public static final String LATENCY_SLO = LatencySloAdmitter.TYPE;

    private static final Map<String, SortedSet<String>> PARAMETERS = Map.of(
            ProbabilisticAdmitter.TYPE, ProbabilisticSettings.PARAMETERS,
            LatencySloAdmitter.TYPE, LatencySloAdmitter.PARAMETERS);

    private Admitters() {
    }

    /** Every type that can be made. */
    public static SortedSet<String> types() {
        return new TreeSet<>(PARAMETERS.keySet());
    }

    /** The parameters that a type has; none for an unknown one. */
    public static SortedSet<String> parameters(String type) {
        return PARAMETERS.getOrDefault(type, new TreeSet<>());
    }

    /**
     * Makes one.
     *
     * @param parameters as YAML values
     * @param pool the present membership
     * @param random from 0 inclusive to 1 exclusive; any thread
     * @throws PluginConfigException with everything that is wrong
     */
    public static Admitter create(String type, String name, Map<String, ?> parameters, Supplier<PoolView> pool, DoubleSupplier random) {
        return switch (type) {
            case ProbabilisticAdmitter.TYPE -> new ProbabilisticAdmitter(name, ProbabilisticSettings.of(parameters), pool, random);
            case LatencySloAdmitter.TYPE -> LatencySloAdmitter.of(name, parameters, pool, LatencyPredictions.NONE);
            default -> throw new PluginConfigException(List.of(new Problem("", "type: " + type + " (expected: " + types() + ')')));
        };
    }
}
