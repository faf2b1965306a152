package io.penstock.proxy.config;

import io.penstock.proxy.config.EngineConfig.Cache;
import io.penstock.proxy.config.EngineConfig.Custom;
import io.penstock.proxy.config.MetricsSettings.Engines;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters of {@code core-metrics-extractor} (spec/routing section 3.3). An engine of the user's adds to those that are built
 * in, or takes the place of the one of its name, as a whole. Pure but for problems.
 */
final class ExtractorReader {

    private final Map<String, EngineConfig> engines = new LinkedHashMap<>(EngineConfig.builtInEngines());
    private final Map<String, Location> own = new LinkedHashMap<>();

    private ExtractorReader() {
    }

    static Engines read(Section section) {
        return new ExtractorReader().engines(section);
    }

    private Engines engines(Section section) {
        Field key = section.field("engineLabelKey");
        Field byDefault = section.field("defaultEngine");
        for (Field item : section.field("engineConfigs").items()) {
            item.open(inner -> engine(item, inner));
        }
        String label = key.name();
        String engine = byDefault.name();
        if (engine != null && !engines.containsKey(engine)) {
            byDefault.error(Text.shown(engine) + ": no such engine " + Text.hint(engine, engines.keySet()));
            engine = null;
        }
        return new Engines(label == null ? Engines.LABEL : label, engine == null ? Engines.DEFAULT_ENGINE : engine, engines);
    }

    private void engine(Field item, Section section) {
        Field nameField = section.required("name", "the engine's name, as endpoints' labels have it");
        String name = nameField.name();
        MetricSpec waiting = spec(section.field("queuedRequestsSpec"));
        MetricSpec running = spec(section.field("runningRequestsSpec"));
        MetricSpec kvUsage = spec(section.field("kvUsageSpec"));
        MetricSpec lora = spec(section.field("loraSpec"));
        Cache cache = cache(section);
        List<Custom> custom = custom(section.field("customMetrics"));
        if (custom.size() > EngineConfig.MOST_CUSTOM) {
            section.field("customMetrics").error(custom.size() + " entries (expected: at most " + EngineConfig.MOST_CUSTOM + ')');
            return;
        }
        if (name == null) {
            return;
        }
        Location first = own.putIfAbsent(name, nameField.at());
        if (first != null) {
            nameField.error(Text.shown(name) + " given twice (first at " + first + ')');
            return;
        }
        if (!section.has("queuedRequestsSpec") && !section.has("kvUsageSpec")) {
            item.warning("names neither queuedRequestsSpec nor kvUsageSpec, so the load of such an endpoint is never known");
        }
        engines.put(name, new EngineConfig(name, waiting, running, kvUsage, lora, cache, custom));
    }

    private static Cache cache(Section section) {
        MetricSpec info = spec(section.field("cacheInfoSpec"));
        Field blockSize = section.field("cacheBlockSizeLabelName");
        Field numBlocks = section.field("cacheNumBlocksLabelName");
        if (!section.has("cacheInfoSpec")) {
            for (Field label : List.of(blockSize, numBlocks)) {
                if (label.present()) {
                    label.warning("ignored without cacheInfoSpec");
                }
            }
        }
        return new Cache(info, label(blockSize, EngineConfig.BLOCK_SIZE_LABEL), label(numBlocks, EngineConfig.NUM_BLOCKS_LABEL),
                spec(section.field("cacheBlockSizeSpec")), spec(section.field("cacheNumBlocksSpec")));
    }

    /** A label's name; empty means the default, as in llm-d. */
    private static String label(Field field, String fallback) {
        String name = field.text("");
        if (!name.isEmpty() && !MetricSpec.isLabel(name)) {
            field.unexpected("a label's name");
        }
        return name.isEmpty() ? fallback : name;
    }

    private static List<Custom> custom(Field list) {
        List<Custom> all = new ArrayList<>();
        Map<String, Location> keys = new LinkedHashMap<>();
        for (Field item : list.items()) {
            item.open(section -> {
                Field keyField = section.required("attributeKey", "the attribute's name");
                Field specField = section.required("metricSpec", "a metric such as name or name{label=value}");
                String key = keyField.name();
                MetricSpec spec = spec(specField);
                Location first = key == null ? null : keys.putIfAbsent(key, keyField.at());
                if (first != null) {
                    keyField.error(Text.shown(String.valueOf(key)) + " given twice (first at " + first + ')');
                } else if (specField.present() && specField.is("")) {
                    specField.unexpected("a metric such as name or name{label=value}");
                } else if (key != null && spec != null) {
                    all.add(new Custom(key, spec));
                }
            });
        }
        return all;
    }

    /** A spec; empty means that the engine has no such metric, as in llm-d. */
    private static @Nullable MetricSpec spec(Field field) {
        String text = field.text("");
        if (text.isEmpty()) {
            return null;
        }
        try {
            return MetricSpec.parse(text);
        } catch (IllegalArgumentException e) {
            field.error(Text.shown(text) + ": " + e.getMessage() + " (expected: a metric such as name or name{label=value})");
            return null;
        }
    }
}
