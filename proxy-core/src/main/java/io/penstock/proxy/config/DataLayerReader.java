package io.penstock.proxy.config;

import io.penstock.proxy.config.PickerSettings.Discovery;
import io.penstock.proxy.config.PluginType.Role;
import io.penstock.proxy.config.PluginType.Support;
import io.penstock.proxy.config.PluginsReader.MetricsSource;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code dataLayer}: where endpoints come from and how their metrics are read. Pure but for problems. */
final class DataLayerReader {

    /** @param discoveryAt where the discovery plugin is chosen, or null when none is */
    record DataLayer(@Nullable Discovery discovery, @Nullable Location discoveryAt, Duration scrapeInterval) {
    }

    private final Plugins plugins;
    private final LoadOptions options;
    private @Nullable MetricsSource source;
    private @Nullable Discovery discovery;
    private @Nullable Location discoveryAt;

    DataLayerReader(Plugins plugins, LoadOptions options) {
        this.plugins = plugins;
        this.options = options;
    }

    DataLayer read(Field field) {
        field.open(this::section);
        // declared but listed nowhere: llm-d's automatic source takes the plugin of its own name
        if (source == null && plugins.typed(PluginType.METRICS_SOURCE) instanceof MetricsSource declared) {
            source = declared;
        }
        return new DataLayer(discovery, discoveryAt, interval());
    }

    private void section(Section section) {
        Field inject = section.field("injectDefaults");
        boolean injected = inject.flag(true);
        Field sources = section.field("sources");
        for (Field item : sources.items()) {
            item.open(this::source);
        }
        if (!injected && source == null) {
            inject.warning("false: not supported yet without a " + PluginType.METRICS_SOURCE + ", metrics are read all the same");
        }
        section.field("discovery").open(this::discovery);
        for (String key : List.of("peerDiscovery", "crossReplicaSyncerPluginRef", "crossReplicaSyncInterval")) {
            if (section.field(key).present()) {
                section.field(key).warning("not supported yet, ignored");
            }
        }
    }

    private void source(Section section) {
        Plugins.Declared plugin = reference(section, Role.SOURCE);
        if (plugin != null && plugin.typed() instanceof MetricsSource metrics) {
            source = source == null ? metrics : source;
        }
        Field extractors = section.field("extractors");
        for (Field item : extractors.items()) {
            item.open(inner -> reference(inner, Role.EXTRACTOR));
        }
    }

    private void discovery(Section section) {
        Plugins.Declared plugin = reference(section, Role.DISCOVERY);
        if (plugin != null && plugin.type().support() == Support.BUILT) {
            discoveryAt = section.field("pluginRef").at();
            discovery = plugin.typed() instanceof Discovery file ? file : null;
        }
    }

    private Plugins.@Nullable Declared reference(Section section, Role role) {
        Field reference = section.required("pluginRef", "a plugin's name");
        String name = reference.name();
        return name == null ? null : plugins.resolve(reference, name, role, true);
    }

    private Duration interval() {
        if (options.refreshMetricsInterval() != null) {
            return options.refreshMetricsInterval();
        }
        Long nanos = source == null ? null : source.intervalNanos();
        return nanos == null ? PickerSettings.DEFAULT_SCRAPE_INTERVAL : Duration.ofNanos(nanos);
    }
}
