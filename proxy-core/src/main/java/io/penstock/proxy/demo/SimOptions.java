package io.penstock.proxy.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * How a simulated vLLM server behaves, with the defaults of llm-d-inference-sim (spec/routing section 8.4). Immutable.
 *
 * @param model the base model's name
 * @param servedNames the names that clients use, the model's own when none is given; the first one is what answers carry
 * @param mode what the answers say
 * @param maxNumSeqs requests that run at once, 1 or more
 * @param maxWaitingQueueLength requests that may wait beyond those, 0 or more; the next gets 429
 * @param maxModelLen prompt and output tokens together, 1 or more
 * @param maxRequestBodyBytes a larger body gets 413
 * @param latency how long things take
 * @param failures which requests fail on purpose
 * @param cache the KV cache that the usage gauge shows
 * @param startup until {@code /health/ready} says so
 * @param keepAlive after which an idle connection is closed, as uvicorn does; zero for never
 * @param pod what {@code x-inference-pod} and its like say, so that a test sees who answered
 * @param requestIds whether {@code X-Request-Id} is echoed
 * @param seed makes answers and latencies repeatable; by default they are not
 */
public record SimOptions(String model, List<String> servedNames, Mode mode, int maxNumSeqs, int maxWaitingQueueLength, int maxModelLen,
        int maxRequestBodyBytes, SimLatency latency, SimFailures failures, Cache cache, Duration startup, Duration keepAlive,
        Pod pod, boolean requestIds, OptionalLong seed) {

    /** What the answers say. */
    public enum Mode {
        /** Sentences of random length. */
        RANDOM,
        /** The prompt, or the last message of the user. */
        ECHO
    }

    /**
     * The simulated KV cache.
     *
     * @param enabled whether usage is counted; else it stays 0
     * @param blocks its size, 1 or more
     * @param blockTokens tokens in one block, 1 or more
     */
    public record Cache(boolean enabled, int blocks, int blockTokens) {

        /** As llm-d-inference-sim has it. */
        public static final Cache OFF = new Cache(false, 1024, 16);

        public Cache {
            atLeast("kv-cache-size", blocks, 1);
            atLeast("block-size", blockTokens, 1);
        }
    }

    /**
     * Who answers, as Kubernetes would name it; empty for nobody.
     *
     * @param name the pod's name
     * @param namespace its namespace
     */
    public record Pod(String name, String namespace) {

        /** No such headers. */
        public static final Pod NONE = new Pod("", "");
    }

    public SimOptions {
        if (model.isEmpty()) {
            throw new IllegalArgumentException("model: \"\" (expected: a name)");
        }
        List<String> names = new ArrayList<>(servedNames);
        if (names.isEmpty()) {
            names.add(model);
        }
        servedNames = List.copyOf(names);
        atLeast("max-num-seqs", maxNumSeqs, 1);
        atLeast("max-waiting-queue-length", maxWaitingQueueLength, 0);
        atLeast("max-model-len", maxModelLen, 1);
        atLeast("max-request-body-size", maxRequestBodyBytes, 1);
    }

    /** The defaults for a model. */
    public static SimOptions of(String model) {
        return new SimOptions(model, List.of(), Mode.RANDOM, 5, 1000, 1024, 4 << 20, SimLatency.NONE, SimFailures.NONE, Cache.OFF,
                Duration.ZERO, Duration.ofSeconds(5), Pod.NONE, false, OptionalLong.empty());
    }

    /** The name that answers and metrics carry. */
    public String servedName() {
        return servedNames.get(0);
    }

    /** The same, running {@code running} at once and letting {@code waiting} wait. */
    public SimOptions withSlots(int running, int waiting) {
        return new SimOptions(model, servedNames, mode, running, waiting, maxModelLen, maxRequestBodyBytes, latency, failures, cache,
                startup, keepAlive, pod, requestIds, seed);
    }

    /** The same, with these latencies. */
    public SimOptions withLatency(SimLatency value) {
        return new SimOptions(model, servedNames, mode, maxNumSeqs, maxWaitingQueueLength, maxModelLen, maxRequestBodyBytes, value,
                failures, cache, startup, keepAlive, pod, requestIds, seed);
    }

    /** The same, answering in this mode. */
    public SimOptions withMode(Mode value) {
        return new SimOptions(model, servedNames, value, maxNumSeqs, maxWaitingQueueLength, maxModelLen, maxRequestBodyBytes, latency,
                failures, cache, startup, keepAlive, pod, requestIds, seed);
    }

    /** The same, failing on purpose like this. */
    public SimOptions withFailures(SimFailures value) {
        return new SimOptions(model, servedNames, mode, maxNumSeqs, maxWaitingQueueLength, maxModelLen, maxRequestBodyBytes, latency,
                value, cache, startup, keepAlive, pod, requestIds, seed);
    }

    /** The same, with this KV cache. */
    public SimOptions withCache(Cache value) {
        return new SimOptions(model, servedNames, mode, maxNumSeqs, maxWaitingQueueLength, maxModelLen, maxRequestBodyBytes, latency,
                failures, value, startup, keepAlive, pod, requestIds, seed);
    }

    /** The same, closing idle connections after this long and ready after that long. */
    public SimOptions withTimes(Duration idle, Duration untilReady) {
        return new SimOptions(model, servedNames, mode, maxNumSeqs, maxWaitingQueueLength, maxModelLen, maxRequestBodyBytes, latency,
                failures, cache, untilReady, idle, pod, requestIds, seed);
    }

    /** The same, answering under this name and echoing request ids or not. */
    public SimOptions withPod(Pod value, boolean echoRequestIds) {
        return new SimOptions(model, servedNames, mode, maxNumSeqs, maxWaitingQueueLength, maxModelLen, maxRequestBodyBytes, latency,
                failures, cache, startup, keepAlive, value, echoRequestIds, seed);
    }

    /** The same, repeatable. */
    public SimOptions withSeed(long value) {
        return new SimOptions(model, servedNames, mode, maxNumSeqs, maxWaitingQueueLength, maxModelLen, maxRequestBodyBytes, latency,
                failures, cache, startup, keepAlive, pod, requestIds, OptionalLong.of(value));
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + " or more)");
        }
    }
}
