package io.penstock.proxy.endpoint;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an engine's metrics page says besides its load (spec/routing section 3.3). What the page does not say is null or missing. Immutable.
 *
 * @param lora null where the page has no LoRA family, as vLLM's has none before the first adapter
 * @param cacheBlockSize tokens of a block of the KV cache
 * @param cacheNumBlocks blocks of the KV cache
 * @param attributes values of the configured {@code customMetrics} by attribute key
 */
public record EngineInfo(@Nullable Lora lora, @Nullable Long cacheBlockSize, @Nullable Long cacheNumBlocks,
        Map<String, Double> attributes) {

    /** A page that says nothing more. */
    public static final EngineInfo NONE = new EngineInfo(null, null, null, Map.of());

    public EngineInfo {
        attributes = Map.copyOf(attributes);
    }

    /**
     * LoRA adapters.
     *
     * @param running adapters that requests run with
     * @param waiting adapters that requests wait for
     * @param max how many may be in use at a time, or null where the page does not say so readably
     */
    public record Lora(List<String> running, List<String> waiting, @Nullable Integer max) {

        public Lora {
            running = List.copyOf(running);
            waiting = List.copyOf(waiting);
        }
    }
}
