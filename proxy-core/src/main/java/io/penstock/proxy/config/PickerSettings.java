package io.penstock.proxy.config;

import io.penstock.flow.Stage;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.policy.Policies;
import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.PolicySpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The document {@code EndpointPickerConfig}, checked and with what it leaves out filled in. Immutable.
 *
 * @param flowControlEnabled the feature gate; off, only {@code defaultDetector} counts, for shedding
 * @param flowControl limits, budgets, bands and the gate
 * @param defaultDetector serves every stage without a detector of its own, and the legacy path
 * @param stageDetectors detectors of single stages (seed 2)
 * @param usageLimit the plugin that sets the bands' ceilings
 * @param bandSelection the plugin that ranks the bands, or null for strict priority
 * @param plugins every usable plugin by name, those added by default included; a band's policies are names in here
 * @param discovery the endpoints file, or null for static endpoints
 * @param metrics how model servers' metrics are read, or null when they are not
 * @param load what in-flight requests are charged with
 */
public record PickerSettings(boolean flowControlEnabled, FlowControlConfig flowControl, PluginSpec defaultDetector,
        Map<Stage, PluginSpec> stageDetectors, PluginSpec usageLimit, @Nullable PluginSpec bandSelection, Map<String, PluginSpec> plugins,
        @Nullable Discovery discovery, @Nullable MetricsSettings metrics, LoadAccounting load) {

    public PickerSettings {
        stageDetectors = Map.copyOf(stageDetectors);
        plugins = Map.copyOf(plugins);
    }

    /** The plugins that are policies of flow control, for a {@link PolicySet}. */
    public List<PolicySpec> policies() {
        return plugins.values().stream().filter(plugin -> Policies.isPolicy(plugin.type()))
                .map(plugin -> new PolicySpec(plugin.name(), plugin.type(), plugin.parameters())).toList();
    }

    /** The plugins that are read at the start only; all others may change while the process runs. */
    public Map<String, PluginSpec> fixedPlugins() {
        return plugins.entrySet().stream().filter(plugin -> isFixed(plugin.getValue().type()))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static boolean isFixed(String type) {
        PluginType known = PluginType.of(type);
        return known == null || !known.role().isReloadable() && !type.equals(AgentIdentity.TYPE);
    }

    /** The plugin {@code file-discovery}; the path is absolute. */
    public record Discovery(Path path, boolean watchFile) {
    }
}
