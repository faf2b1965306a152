package io.penstock.proxy;

import io.penstock.flow.config.GoDuration;
import io.penstock.proxy.config.ConfigLoader;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.Source;
import io.penstock.proxy.endpoint.ScrapeSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code serve} and {@code validate} that say what to read and what wins over it (contract section 1). */
final class ConfigOptions {

    @Option(names = "--config-file", paramLabel = "FILE", description = "A file of configuration documents; may be given several times.")
    private List<Path> configFiles = new ArrayList<>();

    @Option(names = "--config-text", paramLabel = "YAML", description = "Configuration documents as text, instead of files.")
    private @Nullable String configText;

    @Option(names = "--pool-name", paramLabel = "NAME", description = "The pool that objectives must name; without it all count.")
    private @Nullable String poolName;

    @Option(names = "--pool-namespace", paramLabel = "NAME", description = "The namespace of the pool.")
    private @Nullable String poolNamespace;

    @Option(names = "--metrics-port", paramLabel = "PORT", description = "The metrics port (default: 9090).")
    private @Nullable Integer metricsPort;

    @Option(names = "--refresh-metrics-interval", paramLabel = "DURATION", converter = GoDurations.class,
            description = "Between two scrapes of a model server (default and least: 50ms).")
    private @Nullable Duration refreshMetricsInterval;

    @Option(names = "--metrics-staleness-threshold", paramLabel = "DURATION", converter = GoDurations.class, defaultValue = "2s",
            description = "Age beyond which a scrape is left out of the pool's metrics (default: 2s).")
    private Duration metricsStaleness = LoadOptions.DEFAULT_STALENESS;

    @Option(names = "--drain-timeout", paramLabel = "DURATION", converter = GoDurations.class,
            description = "After the start of a drain, until what still runs is reset (default: 30s).")
    private @Nullable Duration drainTimeout;

    @Option(names = "--concurrency", paramLabel = "N", description = "Event loops (default: the processors).")
    private int concurrency = Runtime.getRuntime().availableProcessors();

    @Option(names = "--allow-experimental-plugins", description = "Allow plugin types that llm-d tags Alpha.")
    private boolean allowExperimental;

    int concurrency() {
        return concurrency;
    }

    List<Path> files() {
        return configFiles;
    }

    /** What picocli cannot tell by itself. */
    void check(CommandSpec spec) {
        if (configText != null && !configFiles.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--config-text: given with --config-file (expected: one of them)");
        }
        if (metricsPort != null && (metricsPort < 0 || metricsPort > 65_535)) {
            throw new ParameterException(spec.commandLine(), "--metrics-port: " + metricsPort + " (expected: 0..65535)");
        }
        if (concurrency < 1 || concurrency > 1024) {
            throw new ParameterException(spec.commandLine(), "--concurrency: " + concurrency + " (expected: 1..1024)");
        }
        if (refreshMetricsInterval != null && refreshMetricsInterval.compareTo(ScrapeSettings.MIN_INTERVAL) < 0) {
            spec.commandLine().getErr().println("notice: --refresh-metrics-interval: "
                    + GoDuration.format(refreshMetricsInterval.toNanos()) + " (expected: 50ms or more; 50ms is used)");
        }
    }

    String poolLabel() {
        return poolName == null ? "" : poolName;
    }

    Duration metricsStaleness() {
        return metricsStaleness;
    }

    LoadResult load() {
        List<Source> sources = new ArrayList<>();
        configFiles.forEach(file -> sources.add(Source.file(file)));
        if (configText != null) {
            sources.add(Source.text(configText));
        }
        return ConfigLoader.load(sources,
                new LoadOptions(poolName, poolNamespace, allowExperimental, metricsPort, refreshMetricsInterval, metricsStaleness,
                        drainTimeout));
    }

    /** Go duration strings on the command line. */
    static final class GoDurations implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String value) {
            try {
                long nanos = GoDuration.parseNanos(value);
                if (nanos >= 0) {
                    return Duration.ofNanos(nanos);
                }
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
            throw new TypeConversionException(value + " (expected: 0s or more)");
        }
    }
}
