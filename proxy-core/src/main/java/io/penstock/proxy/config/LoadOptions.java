package io.penstock.proxy.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the command line says about reading documents; a flag wins over a document. Null means that the flag was not given. Immutable.
 *
 * @param poolName {@code --pool-name}; only with it does an objective's {@code poolRef} count
 * @param poolNamespace {@code --pool-namespace}; only with it does an objective's namespace count
 * @param allowExperimental {@code --allow-experimental-plugins}
 * @param metricsPort {@code --metrics-port}, 0..65535
 * @param refreshMetricsInterval {@code --refresh-metrics-interval}
 * @param drainTimeout {@code --drain-timeout}
 * @param metricsStaleness {@code --metrics-staleness-threshold}, 2 s by default
 */
public record LoadOptions(@Nullable String poolName, @Nullable String poolNamespace, boolean allowExperimental,
        @Nullable Integer metricsPort, @Nullable Duration refreshMetricsInterval, @Nullable Duration drainTimeout,
        Duration metricsStaleness) {

    /** llm-d's default of {@code --metrics-staleness-threshold}. */
    public static final Duration DEFAULT_STALENESS = Duration.ofSeconds(2);

    /** With the default staleness threshold. */
    public LoadOptions(@Nullable String poolName, @Nullable String poolNamespace, boolean allowExperimental, @Nullable Integer metricsPort,
            @Nullable Duration refreshMetricsInterval, @Nullable Duration drainTimeout) {
        this(poolName, poolNamespace, allowExperimental, metricsPort, refreshMetricsInterval, drainTimeout, DEFAULT_STALENESS);
    }

    /** No flag given. */
    public static LoadOptions none() {
        return new LoadOptions(null, null, false, null, null, null);
    }

    /** These, with experimental plugin types allowed. */
    public LoadOptions withExperimental() {
        return new LoadOptions(poolName, poolNamespace, true, metricsPort, refreshMetricsInterval, drainTimeout, metricsStaleness);
    }

    /** These, for a named pool; a null namespace means any. */
    public LoadOptions withPool(String name, @Nullable String namespace) {
        return new LoadOptions(name, namespace, allowExperimental, metricsPort, refreshMetricsInterval, drainTimeout, metricsStaleness);
    }
}
