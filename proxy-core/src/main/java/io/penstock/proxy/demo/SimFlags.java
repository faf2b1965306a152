package io.penstock.proxy.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of a simulated server, named as in llm-d-inference-sim (spec/routing section 8.4). Filled by picocli on one thread. */
public final class SimFlags {

    @Option(names = "--model", required = true, defaultValue = "${env:SIM_MODEL}", description = "Name of the base model (env SIM_MODEL).")
    private String model = "";

    @Option(names = "--served-model-name", arity = "1..*", split = ",", description = "Names that clients use; the model's own by default.")
    private List<String> servedNames = new ArrayList<>();

    @Option(names = "--mode", defaultValue = "random", description = "What answers say: random or echo (default: ${DEFAULT-VALUE}).")
    private String mode = "";

    @Option(names = "--max-num-seqs", defaultValue = "5", description = "Requests that run at once (default: ${DEFAULT-VALUE}).")
    private int maxNumSeqs;

    @Option(names = "--max-waiting-queue-length", defaultValue = "1000",
            description = "Requests that may wait; the next gets 429 (default: ${DEFAULT-VALUE}).")
    private int maxWaiting;

    @Option(names = "--max-model-len", defaultValue = "1024",
            description = "Prompt and output tokens together (default: ${DEFAULT-VALUE}).")
    private int maxModelLen;

    @Option(names = "--max-request-body-size-mb", defaultValue = "4", description = "1 to 512 (default: ${DEFAULT-VALUE}).")
    private int maxBodyMb;

    @Option(names = "--time-to-first-token", defaultValue = "0", converter = DurationFlag.class, description = "Such as 200ms.")
    private Duration timeToFirstToken = Duration.ZERO;

    @Option(names = "--time-to-first-token-std-dev", defaultValue = "0", converter = DurationFlag.class, description = "At most 30 %%.")
    private Duration timeToFirstTokenStdDev = Duration.ZERO;

    @Option(names = "--inter-token-latency", defaultValue = "0", converter = DurationFlag.class, description = "Such as 20ms.")
    private Duration interTokenLatency = Duration.ZERO;

    @Option(names = "--inter-token-latency-std-dev", defaultValue = "0", converter = DurationFlag.class, description = "At most 30 %%.")
    private Duration interTokenLatencyStdDev = Duration.ZERO;

    @Option(names = "--prefill-overhead", defaultValue = "0", converter = DurationFlag.class,
            description = "Fixed part of a prefill whose time grows with the prompt.")
    private Duration prefillOverhead = Duration.ZERO;

    @Option(names = "--prefill-time-per-token", defaultValue = "0", converter = DurationFlag.class,
            description = "Its part per prompt token; replaces --time-to-first-token.")
    private Duration prefillPerToken = Duration.ZERO;

    @Option(names = "--kv-cache-transfer-latency", defaultValue = "0", converter = DurationFlag.class,
            description = "Instead of the prefill, when another server did it.")
    private Duration kvTransfer = Duration.ZERO;

    @Option(names = "--time-factor-under-load", defaultValue = "1.0",
            description = "How much slower it is with every slot taken (default: ${DEFAULT-VALUE}).")
    private double factorUnderLoad;

    @Option(names = "--failure-injection-rate", defaultValue = "0", description = "Percent of requests that fail on purpose.")
    private int failurePercent;

    @Option(names = "--failure-types", arity = "1..*", split = ",", description = "rate_limit, invalid_api_key, context_length, "
            + "server_error, invalid_request, model_not_found; all by default.")
    private List<String> failureTypes = new ArrayList<>();

    @Option(names = "--enable-kvcache", description = "Count KV cache blocks.")
    private boolean cache;

    @Option(names = "--kv-cache-size", defaultValue = "1024", description = "Blocks (default: ${DEFAULT-VALUE}).")
    private int cacheSize;

    @Option(names = "--block-size", defaultValue = "16", description = "Tokens in a block (default: ${DEFAULT-VALUE}).")
    private int blockSize;

    @Option(names = "--fake-metrics", paramLabel = "JSON",
            description = "Gauges to show instead of the real ones: running-requests, waiting-requests, kv-cache-usage.")
    private @Nullable String fakeMetrics;

    @Option(names = "--startup-duration", defaultValue = "0", converter = DurationFlag.class, description = "Until /health/ready says 200.")
    private Duration startup = Duration.ZERO;

    @Option(names = "--timeout-keep-alive", defaultValue = "5s", converter = DurationFlag.class,
            description = "Idle connections are closed after it, 0 never (default: ${DEFAULT-VALUE}).")
    private Duration keepAlive = Duration.ZERO;

    @Option(names = "--enable-request-id-headers", description = "Echo X-Request-Id.")
    private boolean requestIds;

    @Option(names = "--seed", description = "Makes answers repeatable.")
    private @Nullable Long seed;

    @Option(names = "--pod-name", defaultValue = "${env:POD_NAME:-}", description = "Said in x-inference-pod (env POD_NAME).")
    private String podName = "";

    @Option(names = "--pod-namespace", defaultValue = "${env:POD_NAMESPACE:-}",
            description = "Said in x-inference-namespace (env POD_NAMESPACE).")
    private String podNamespace = "";

    /**
     * The options that the flags mean.
     *
     * @throws IllegalArgumentException when a value is out of its range; the message names the flag
     */
    public SimOptions options() {
        if (maxBodyMb < 1 || maxBodyMb > 512) {
            throw new IllegalArgumentException("max-request-body-size-mb: " + maxBodyMb + " (expected: 1..512)");
        }
        SimLatency latency = new SimLatency(timeToFirstToken, timeToFirstTokenStdDev, interTokenLatency, interTokenLatencyStdDev,
                prefillOverhead, prefillPerToken, kvTransfer, factorUnderLoad);
        return new SimOptions(model, servedNames, mode(), maxNumSeqs, maxWaiting, maxModelLen, maxBodyMb << 20, latency,
                SimFailures.named(failurePercent, failureTypes), new SimOptions.Cache(cache, cacheSize, blockSize), startup, keepAlive,
                new SimOptions.Pod(podName, podNamespace), requestIds, seed == null ? OptionalLong.empty() : OptionalLong.of(seed));
    }

    /** Gauges to show instead of the real ones, or null. */
    @Nullable
    FakeMetrics fakeMetrics() {
        return fakeMetrics == null ? null : FakeMetrics.parse(fakeMetrics);
    }

    private SimOptions.Mode mode() {
        return switch (mode) {
            case "random" -> SimOptions.Mode.RANDOM;
            case "echo" -> SimOptions.Mode.ECHO;
            default -> throw new IllegalArgumentException("mode: " + mode + " (expected: random or echo)");
        };
    }
}
