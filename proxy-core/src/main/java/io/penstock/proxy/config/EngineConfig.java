package io.penstock.proxy.config;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one kind of engine calls the values that are read from its metrics page (spec/routing section 3.3). What is null is not read, and
 * nobody misses it. Immutable.
 *
 * @param name as an endpoint's label names the engine
 * @param waiting requests in the engine's own queue
 * @param running requests that the engine runs
 * @param kvUsage fraction of the KV cache in use, 0 to 1
 * @param lora LoRA adapters, as labels of the newest series
 * @param cache geometry of the KV cache
 * @param custom what else to keep as attributes of the endpoint
 */
public record EngineConfig(String name, @Nullable MetricSpec waiting, @Nullable MetricSpec running, @Nullable MetricSpec kvUsage,
        @Nullable MetricSpec lora, Cache cache, List<Custom> custom) {

    /** The label of an info series that llm-d takes for the block size, where none is named. */
    static final String BLOCK_SIZE_LABEL = "block_size";
    /** The same for the number of blocks. */
    static final String NUM_BLOCKS_LABEL = "num_gpu_blocks";
    /** The most custom values of one engine. */
    static final int MOST_CUSTOM = 32;

    private static final Map<String, EngineConfig> BUILT_IN = builtIn();

    public EngineConfig {
        custom = List.copyOf(custom);
    }

    /**
     * Where the KV cache's geometry stands: in labels of an info series, in gauges of their own, or nowhere.
     *
     * @param info a series with two labels, or null
     * @param blockSizeLabel its label with the tokens of a block
     * @param numBlocksLabel its label with the number of blocks
     * @param blockSize a gauge with the tokens of a block, or null
     * @param numBlocks a gauge with the number of blocks, or null
     */
    public record Cache(@Nullable MetricSpec info, String blockSizeLabel, String numBlocksLabel, @Nullable MetricSpec blockSize,
            @Nullable MetricSpec numBlocks) {

        static final Cache NONE = new Cache(null, BLOCK_SIZE_LABEL, NUM_BLOCKS_LABEL, null, null);

        private static Cache info(String spec, String blockSizeLabel, String numBlocksLabel) {
            return new Cache(MetricSpec.parse(spec), blockSizeLabel, numBlocksLabel, null, null);
        }

        private static Cache gauges(String blockSize, String numBlocks) {
            return new Cache(null, BLOCK_SIZE_LABEL, NUM_BLOCKS_LABEL, MetricSpec.parse(blockSize), MetricSpec.parse(numBlocks));
        }
    }

    /** A value that is kept under a key of the user's. */
    public record Custom(String attributeKey, MetricSpec spec) {
    }

    /** The engines that need no configuration, by name. */
    public static Map<String, EngineConfig> builtInEngines() {
        return BUILT_IN;
    }

    private static Map<String, EngineConfig> builtIn() {
        List<EngineConfig> all = List.of(
                engine("vllm", "vllm:num_requests_waiting", "vllm:num_requests_running", "vllm:kv_cache_usage_perc",
                        "vllm:lora_requests_info", Cache.info("vllm:cache_config_info", BLOCK_SIZE_LABEL, NUM_BLOCKS_LABEL)),
                engine("sglang", "sglang:num_queue_reqs", "sglang:num_running_reqs", "sglang:token_usage", null,
                        Cache.info("sglang:cache_config_info", "page_size", "num_pages")),
                engine("trtllm-serve", "trtllm_num_requests_waiting", "trtllm_num_requests_running", "trtllm_kv_cache_utilization", null,
                        Cache.gauges("trtllm_kv_cache_tokens_per_block", "trtllm_kv_cache_max_blocks")),
                engine("triton-tensorrt-llm", "nv_trt_llm_request_metrics{request_type=waiting}",
                        "nv_trt_llm_request_metrics{request_type=scheduled}",
                        "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=fraction}", null,
                        Cache.gauges("nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=tokens_per}",
                                "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=max}")),
                // Its nv_inference_exec_count, which llm-d takes for running requests, counts all executions since the start.
                engine("triton", "nv_inference_pending_request_count", null, null, null, Cache.NONE));
        return all.stream().collect(Collectors.toUnmodifiableMap(EngineConfig::name, Function.identity()));
    }

    private static EngineConfig engine(String name, String waiting, @Nullable String running, @Nullable String kvUsage,
            @Nullable String lora, Cache cache) {
        return new EngineConfig(name, spec(waiting), spec(running), spec(kvUsage), spec(lora), cache, List.of());
    }

    private static @Nullable MetricSpec spec(@Nullable String text) {
        return text == null ? null : MetricSpec.parse(text);
    }
}
