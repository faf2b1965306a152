package io.penstock.proxy.endpoint;

import io.penstock.proxy.config.EngineConfig;
import io.penstock.proxy.config.MetricSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An engine's table of metrics, made ready for comparing bytes: a slot for each spec. Immutable. */
final class EngineMetrics {

    /** What a slot's series are for. */
    enum Use {
        /** Requests in the engine's own queue: a sum. A sample needs it where the engine has it. */
        WAITING,
        /** Requests that the engine runs: a sum. */
        RUNNING,
        /** Fraction of the KV cache in use: the highest. A sample needs it where the engine has it. */
        KV_USAGE,
        /** LoRA adapters: labels of the series with the highest value, which is a time. */
        LORA,
        /** The KV cache's geometry: labels of the first series. */
        CACHE_INFO,
        /** Tokens of a block: the first. */
        BLOCK_SIZE,
        /** Blocks: the first. */
        NUM_BLOCKS,
        /** An attribute: the first. */
        CUSTOM
    }

    /** One label that a series must have. */
    record Selector(byte[] label, byte[] value) {
    }

    /**
     * One spec.
     *
     * @param family as messages name it
     * @param key the attribute's, of {@link Use#CUSTOM}; empty otherwise
     * @param captured labels whose values are kept
     */
    record Slot(Use use, String family, byte[] name, Selector[] selectors, String key, byte[][] captured) {

        /** Whether a page without it is in order: not every engine of a kind has adapters or shows its geometry. */
        boolean optional() {
            return use == Use.LORA || use == Use.CACHE_INFO || use == Use.BLOCK_SIZE || use == Use.NUM_BLOCKS;
        }

        boolean readsLabels() {
            return selectors.length > 0 || captured.length > 0;
        }
    }

    private static final String[] LORA_LABELS = {"running_lora_adapters", "waiting_lora_adapters", "max_lora"};

    private final EngineConfig config;
    private final Slot[] slots;
    private final long labelled;

    EngineMetrics(EngineConfig config) {
        this.config = config;
        List<Slot> all = new ArrayList<>();
        add(all, Use.WAITING, config.waiting(), "");
        add(all, Use.RUNNING, config.running(), "");
        add(all, Use.KV_USAGE, config.kvUsage(), "");
        add(all, Use.LORA, config.lora(), "", LORA_LABELS);
        EngineConfig.Cache cache = config.cache();
        add(all, Use.CACHE_INFO, cache.info(), "", cache.blockSizeLabel(), cache.numBlocksLabel());
        add(all, Use.BLOCK_SIZE, cache.blockSize(), "");
        add(all, Use.NUM_BLOCKS, cache.numBlocks(), "");
        config.custom().forEach(custom -> add(all, Use.CUSTOM, custom.spec(), custom.attributeKey()));
        if (all.size() > Long.SIZE) {
            throw new IllegalArgumentException("engine " + config.name() + ": " + all.size() + " metrics (expected: at most 64)");
        }
        slots = all.toArray(Slot[]::new);
        long mask = 0;
        for (int i = 0; i < slots.length; i++) {
            mask |= slots[i].readsLabels() ? 1L << i : 0;
        }
        labelled = mask;
    }

    private static void add(List<Slot> all, Use use, @Nullable MetricSpec spec, String key, String... captured) {
        if (spec == null) {
            return;
        }
        Selector[] selectors = spec.labels().entrySet().stream().map(label -> new Selector(utf8(label.getKey()), utf8(label.getValue())))
                .toArray(Selector[]::new);
        byte[][] labels = new byte[captured.length][];
        for (int i = 0; i < captured.length; i++) {
            labels[i] = utf8(captured[i]);
        }
        all.add(new Slot(use, spec.toString(), utf8(spec.name()), selectors, key, labels));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** What it was made from. */
    EngineConfig config() {
        return config;
    }

    /** How many slots there are, at most 64: a bit each. */
    int size() {
        return slots.length;
    }

    Slot slot(int index) {
        return slots[index];
    }

    /** The slot of that use, or -1; of {@link Use#CUSTOM} the first. */
    int indexOf(Use use) {
        for (int i = 0; i < slots.length; i++) {
            if (slots[i].use() == use) {
                return i;
            }
        }
        return -1;
    }

    /** Every slot, a bit each. */
    long all() {
        return slots.length == Long.SIZE ? -1L : (1L << slots.length) - 1;
    }

    /** The slots that look at labels. */
    long labelled() {
        return labelled;
    }
}
