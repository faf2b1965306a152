package io.penstock.proxy.demo;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A simulated server's {@code /metrics} page: the families of llm-d-inference-sim in its order (spec/routing section 8.3). Only the
 * server's event loop uses it.
 */
final class SimMetrics {

    private final SimOptions options;
    private final SimEngine engine;
    private final String labels;
    private final long startSeconds;
    private final Map<String, Long> successes = new TreeMap<>();
    private final SimHistogram endToEnd = seconds("vllm:e2e_request_latency_seconds",
            "Histogram of end to end request latency in seconds.");
    private final SimHistogram interToken = new SimHistogram("vllm:inter_token_latency_seconds",
            "Histogram of inter-token latency in seconds.", SimHistogram.TOKEN_SECONDS);
    private final SimHistogram maxGeneration;
    private final SimHistogram decode = seconds("vllm:request_decode_time_seconds",
            "Histogram of time spent in DECODE phase for request.");
    private final SimHistogram generation;
    private final SimHistogram inference = seconds("vllm:request_inference_time_seconds",
            "Histogram of time spent in RUNNING phase for request.");
    private final SimHistogram maxTokens;
    private final SimHistogram prefill = seconds("vllm:request_prefill_time_seconds",
            "Histogram of time spent in PREFILL phase for request.");
    private final SimHistogram prompt;
    private final SimHistogram queue = seconds("vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.");
    private final SimHistogram requestPerToken = new SimHistogram("vllm:request_time_per_output_token_seconds",
            "Histogram of time_per_output_token_seconds per request.", SimHistogram.TOKEN_SECONDS);
    private final SimHistogram perToken = new SimHistogram("vllm:time_per_output_token_seconds",
            "Histogram of time per output token in seconds.", SimHistogram.TOKEN_SECONDS);
    private final SimHistogram firstToken = new SimHistogram("vllm:time_to_first_token_seconds",
            "Histogram of time to first token in seconds.", SimHistogram.FIRST_TOKEN_SECONDS);
    private long promptTokens;
    private long generationTokens;
    private long usedBlocks;
    private @Nullable FakeMetrics fake;

    SimMetrics(SimOptions options, SimEngine engine, long startSeconds) {
        this.options = options;
        this.engine = engine;
        this.startSeconds = startSeconds;
        this.labels = "model_name=\"" + options.servedName().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        double[] tokens = SimHistogram.tokenBounds(options.maxModelLen());
        maxGeneration = new SimHistogram("vllm:max_num_generation_tokens", "Histogram of maximum number of requested generation tokens.",
                tokens);
        generation = new SimHistogram("vllm:request_generation_tokens", "Number of generation tokens processed.", tokens);
        maxTokens = new SimHistogram("vllm:request_params_max_tokens", "Histogram of the max_tokens request parameter.", tokens);
        prompt = new SimHistogram("vllm:request_prompt_tokens", "Number of prefill tokens processed.", tokens);
    }

    /** The three gauges say this from now on; null for the truth. */
    void fake(@Nullable FakeMetrics values) {
        fake = values;
    }

    void queued(long nanos) {
        queue.recordNanos(nanos);
    }

    void firstToken(long prefillNanos, long sinceArrivalNanos, int tokens) {
        prefill.recordNanos(prefillNanos);
        firstToken.recordNanos(sinceArrivalNanos);
        promptTokens += tokens;
    }

    void nextToken(long nanos) {
        interToken.recordNanos(nanos);
        perToken.recordNanos(nanos);
    }

    void blocks(long change) {
        usedBlocks += change;
    }

    void succeeded(String finishReason, int prompted, int generated, @Nullable Long limit, SimTimes times) {
        successes.merge(finishReason, 1L, Long::sum);
        generationTokens += generated;
        generation.record(generated);
        maxGeneration.record(generated);
        prompt.record(prompted);
        if (limit != null) {
            maxTokens.record(limit);
        }
        endToEnd.recordNanos(times.ended() - times.arrived());
        inference.recordNanos(times.ended() - times.started());
        decode.recordNanos(times.ended() - times.firstToken());
        if (generated > 1) {
            requestPerToken.recordNanos((times.ended() - times.firstToken()) / (generated - 1));
        }
    }

    String page() {
        StringBuilder out = new StringBuilder(24 << 10);
        family(out, "vllm:cache_config_info", "Information of the LLMEngine CacheConfig.", "gauge", "block_size=\""
                + options.cache().blockTokens() + "\",num_gpu_blocks=\"" + options.cache().blocks() + '"', "1");
        endToEnd.writeTo(out, labels);
        family(out, "vllm:generation_tokens_total", "Total number of generated tokens.", "counter", labels,
                Long.toString(generationTokens));
        interToken.writeTo(out, labels);
        family(out, "vllm:kv_cache_usage_perc", "Prometheus metric for the fraction of KV-cache blocks currently in use (from 0 to 1).",
                "gauge", labels, SimHistogram.number(fake != null ? fake.kvCacheUsage() : usage()));
        family(out, "vllm:lora_requests_info", "Running stats on lora requests.", "gauge",
                "max_lora=\"1\",running_lora_adapters=\"\",waiting_lora_adapters=\"\"", Long.toString(startSeconds));
        maxGeneration.writeTo(out, labels);
        family(out, "vllm:num_requests_running", "Number of requests currently running on GPU.", "gauge", labels,
                Integer.toString(fake != null ? fake.running() : engine.runningCount()));
        family(out, "vllm:num_requests_waiting", "Prometheus metric for the number of queued requests.", "gauge", labels,
                Integer.toString(fake != null ? fake.waiting() : engine.waitingCount()));
        family(out, "vllm:prompt_tokens_total", "Total number of prompt tokens processed.", "counter", labels, Long.toString(promptTokens));
        decode.writeTo(out, labels);
        generation.writeTo(out, labels);
        inference.writeTo(out, labels);
        maxTokens.writeTo(out, labels);
        prefill.writeTo(out, labels);
        prompt.writeTo(out, labels);
        queue.writeTo(out, labels);
        out.append("# HELP vllm:request_success_total Count of successfully processed requests.\n"
                + "# TYPE vllm:request_success_total counter\n");
        successes.forEach((reason, count) -> out.append("vllm:request_success_total{finish_reason=\"").append(reason).append("\",")
                .append(labels).append("} ").append(count).append('\n'));
        requestPerToken.writeTo(out, labels);
        perToken.writeTo(out, labels);
        firstToken.writeTo(out, labels);
        return out.toString();
    }

    private double usage() {
        return Math.min(1.0, (double) usedBlocks / options.cache().blocks());
    }

    private static void family(StringBuilder out, String name, String help, String type, String labels, String value) {
        out.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(' ').append(type).append('\n')
                .append(name).append('{').append(labels).append("} ").append(value).append('\n');
    }

    private static SimHistogram seconds(String name, String help) {
        return new SimHistogram(name, help, SimHistogram.REQUEST_SECONDS);
    }
}
