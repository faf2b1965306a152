package io.penstock.proxy.config;

import io.penstock.proxy.config.MetricsSettings.Engines;
import io.penstock.proxy.config.MetricsSourceReader.MetricsSource;
import io.penstock.proxy.config.PickerSettings.Discovery;
import io.penstock.proxy.config.PluginType.Role;
import io.penstock.proxy.config.PluginType.Support;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code dataLayer}: where endpoints come from and how their metrics are read. Pure but for problems. */
final class DataLayerReader {

    /**
     * @param discoveryAt where the discovery plugin is chosen, or null when none is
     * @param metrics null when no metrics are read
     * @param metricsAt where it is said how often, or that they are not
     */
    record DataLayer(@Nullable Discovery discovery, @Nullable Location discoveryAt, @Nullable MetricsSettings metrics,
            Location metricsAt) {
    }

    private final Plugins plugins;
    private final LoadOptions options;
    private boolean injected = true;
    private @Nullable MetricsSource source;
    private @Nullable Location sourceAt;
    private @Nullable Engines engines;
    private @Nullable Discovery discovery;
    private @Nullable Location discoveryAt;

    DataLayerReader(Plugins plugins, LoadOptions options) {
        this.plugins = plugins;
        this.options = options;
    }

    DataLayer read(Field field) {
        field.open(this::section);
        Location injectAt = field.at();
        if (!injected && (source == null || engines == null)) {
            return new DataLayer(discovery, discoveryAt, null, injectAt);
        }
        // What is declared and listed nowhere: llm-d's automatic plugins are those of their type's name.
        if (source == null && plugins.typed(PluginType.METRICS_SOURCE) instanceof MetricsSource declared) {
            source = declared;
        }
        if (engines == null && plugins.typed(PluginType.METRICS_EXTRACTOR) instanceof Engines declared) {
            engines = declared;
        }
        return new DataLayer(discovery, discoveryAt, settings(source), source == null ? injectAt : source.intervalAt());
    }

    private void section(Section section) {
        Field inject = section.field("injectDefaults");
        injected = inject.flag(true);
        Field sources = section.field("sources");
        for (Field item : sources.items()) {
            item.open(this::source);
        }
        if (!injected && source == null) {
            inject.warning("false, and sources lists no " + PluginType.METRICS_SOURCE + ": no metrics are read, and the load that model"
                    + " servers report is never known");
        } else if (!injected && engines == null) {
            inject.warning("false, and the " + PluginType.METRICS_SOURCE + " has no " + PluginType.METRICS_EXTRACTOR
                    + " among its extractors: no metrics are read, and the load that model servers report is never known");
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
        boolean metrics = plugin != null && plugin.typed() instanceof MetricsSource;
        if (metrics && sourceAt != null) {
            section.field("pluginRef").error("second " + PluginType.METRICS_SOURCE + " (expected: the one at " + sourceAt + " alone)");
        } else if (metrics && plugin.typed() instanceof MetricsSource read) {
            source = read;
            sourceAt = section.field("pluginRef").at();
        }
        for (Field item : section.field("extractors").items()) {
            item.open(inner -> extractor(inner, metrics));
        }
    }

    private void extractor(Section section, boolean ofMetrics) {
        Plugins.Declared plugin = reference(section, Role.EXTRACTOR);
        if (plugin == null || !(plugin.typed() instanceof Engines read)) {
            return;
        }
        if (!ofMetrics) {
            section.field("pluginRef").warning(PluginType.METRICS_EXTRACTOR + " reads nothing but a " + PluginType.METRICS_SOURCE
                    + ", ignored here");
        } else if (engines == null) {
            engines = read;
        } else {
            section.field("pluginRef").error("second " + PluginType.METRICS_EXTRACTOR + " (expected: one)");
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

    private MetricsSettings settings(@Nullable MetricsSource chosen) {
        MetricsSettings byDefault = MetricsSettings.every(interval(chosen == null ? null : chosen.intervalNanos()));
        Engines read = engines == null ? byDefault.engines() : engines;
        return chosen == null ? new MetricsSettings(byDefault.interval(), byDefault.path(), null, null, read)
                : new MetricsSettings(byDefault.interval(), chosen.path(), chosen.port(), chosen.tls(), read);
    }

    /**
     * The base tick is the flag's, 50 ms by default and at least. A source's own interval that is shorter is the tick; a longer one is
     * rounded to the nearest multiple of it (spec/routing 3.1).
     */
    private Duration interval(@Nullable Long own) {
        Duration flag = options.refreshMetricsInterval();
        long floor = MetricsSourceReader.MIN_INTERVAL_NANOS;
        long tick = flag == null ? floor : Math.min(MetricsSourceReader.MAX_INTERVAL_NANOS, Math.max(floor, flag.toNanos()));
        if (own == null || own <= tick) {
            return Duration.ofNanos(own == null ? tick : own);
        }
        return Duration.ofNanos((own / tick + (own % tick >= tick - own % tick ? 1 : 0)) * tick);
    }
}
