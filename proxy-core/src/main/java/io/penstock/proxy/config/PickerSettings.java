package io.penstock.proxy.config;

import io.penstock.flow.Stage;
import io.penstock.flow.config.FlowControlConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The document {@code EndpointPickerConfig}, checked and with what it leaves out filled in. Immutable.
 *
 * @param flowControlEnabled the feature gate; off, only {@code defaultDetector} counts, for shedding
 * @param flowControl limits, budgets, bands and the gate
 * @param defaultDetector serves every stage without a detector of its own, and the legacy path
 * @param stageDetectors detectors of single stages (seed 2)
 * @param usageLimitThreshold saturation at which all bands stop, more than 0; 1.0 by default
 * @param plugins every usable plugin by name, those added by default included; a band's policies are names in here
 * @param discovery the endpoints file, or null for static endpoints
 * @param scrapeInterval between two reads of one model server's metrics, 50 ms by default
 */
public record PickerSettings(boolean flowControlEnabled, FlowControlConfig flowControl, PluginSpec defaultDetector,
        Map<Stage, PluginSpec> stageDetectors, double usageLimitThreshold, Map<String, PluginSpec> plugins, @Nullable Discovery discovery,
        Duration scrapeInterval) {

    /** llm-d's default, and its minimum. */
    public static final Duration DEFAULT_SCRAPE_INTERVAL = Duration.ofMillis(50);

    public PickerSettings {
        stageDetectors = Map.copyOf(stageDetectors);
        plugins = Map.copyOf(plugins);
    }

    /** The plugin {@code file-discovery}; the path is absolute. */
    public record Discovery(Path path, boolean watchFile) {
    }
}
