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
 * @param metricsStaleness {@code --metrics-staleness-threshold}
 * @param drainTimeout {@code --drain-timeout}
 */
public record LoadOptions(@Nullable String poolName, @Nullable String poolNamespace, boolean allowExperimental,
        @Nullable Integer metricsPort, @Nullable Duration refreshMetricsInterval, Duration metricsStaleness,
        @Nullable Duration drainTimeout) {

    /** The default of {@code --metrics-staleness-threshold}. */
    public static final Duration DEFAULT_STALENESS = Duration.ofSeconds(2);

    /** No flag given. */
    public static LoadOptions none() {
        return new LoadOptions(null, null, false, null, null, DEFAULT_STALENESS, null);
    }

    /** These, with experimental plugin types allowed. */
    public LoadOptions withExperimental() {
        return new LoadOptions(poolName, poolNamespace, true, metricsPort, refreshMetricsInterval, metricsStaleness,
                drainTimeout);
    }

    /** These, for a named pool; a null namespace means any. */
    public LoadOptions withPool(String name, @Nullable String namespace) {
        return new LoadOptions(name, namespace, allowExperimental, metricsPort, refreshMetricsInterval, metricsStaleness,
                drainTimeout);
    }
}
