package io.penstock.proxy.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How model servers' metrics are read: the plugins {@code metrics-data-source} and {@code core-metrics-extractor} (spec/routing sections
 * 3.2 and 3.3), checked and with what they leave out filled in. Immutable.
 *
 * @param interval from one scrape's start to the next, 50 ms or more
 * @param path of the page, from its slash on
 * @param port of the page, or null for the endpoint's own
 * @param tls null for {@code http}
 * @param engines what to read of a page
 */
public record MetricsSettings(Duration interval, String path, @Nullable Integer port, @Nullable Tls tls, Engines engines) {

    /** llm-d's default, and its minimum. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofMillis(50);
    /** Where engines show their metrics. */
    public static final String DEFAULT_PATH = "/metrics";

    /** vLLM's page and the others that are built in, at an interval. */
    public static MetricsSettings every(Duration interval) {
        return new MetricsSettings(interval, DEFAULT_PATH, null, null, Engines.BUILT_IN);
    }

    /**
     * The scheme {@code https}.
     *
     * @param skipVerify whether any certificate of the server will do
     * @param ca PEM with the authorities to trust, or null for the machine's
     * @param certificate PEM with our own certificate, or null
     * @param key PEM with its key, null exactly when {@code certificate} is
     */
    public record Tls(boolean skipVerify, @Nullable Path ca, @Nullable Path certificate, @Nullable Path key) {
    }

    /**
     * The engines by name, and how an endpoint's labels name one.
     *
     * @param labelKey the label with the engine's name
     * @param defaultEngine for an endpoint without that label, or with a name that is not known; a key of {@code byName}
     */
    public record Engines(String labelKey, String defaultEngine, Map<String, EngineConfig> byName) {

        static final String LABEL = "llm-d.ai/engine-type";
        private static final String OLDER_LABEL = "inference.networking.k8s.io/engine-type";
        static final String DEFAULT_ENGINE = "vllm";

        /** Those that need no configuration. */
        public static final Engines BUILT_IN = new Engines(LABEL, DEFAULT_ENGINE, EngineConfig.builtInEngines());

        public Engines {
            byName = Map.copyOf(byName);
            if (!byName.containsKey(defaultEngine)) {
                throw new IllegalArgumentException("defaultEngine: " + defaultEngine + " (expected: one of " + byName.keySet() + ')');
            }
        }

        /** The engine that an endpoint's labels name. */
        public EngineConfig of(Map<String, String> labels) {
            String wanted = labels.get(labelKey);
            if (wanted == null && labelKey.equals(LABEL)) {
                wanted = labels.get(OLDER_LABEL);
            }
            EngineConfig named = wanted == null ? null : byName.get(wanted);
            return named != null ? named : byName.getOrDefault(defaultEngine, EngineConfig.builtInEngines().get(DEFAULT_ENGINE));
        }
    }
}
