package io.penstock.proxy.endpoint;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each engine calls the values that a sample is made of (spec/routing section 3.3): the one table of engines. An endpoint's engine is
 * its label; an engine that is not in the table, or none, is read as vLLM. Immutable.
 */
enum EngineMetrics {
    VLLM("vllm", "vllm:num_requests_waiting", "vllm:num_requests_running", "vllm:kv_cache_usage_perc"),
    SGLANG("sglang", "sglang:num_queue_reqs", "sglang:num_running_reqs", "sglang:token_usage"),
    TENSORRT_LLM("trtllm-serve", "trtllm_num_requests_waiting", "trtllm_num_requests_running", "trtllm_kv_cache_utilization");

    /** Requests in the engine's own queue, summed over series. A sample needs it. */
    static final int WAITING = 0;
    /** Requests that the engine runs, summed over series. */
    static final int RUNNING = 1;
    /** Fraction of the KV cache in use, the highest of the series. A sample needs it. */
    static final int KV_USAGE = 2;
    /** How many values there are. */
    static final int FIELDS = 3;

    private static final String LABEL = "llm-d.ai/engine-type";
    private static final String OLDER_LABEL = "inference.networking.k8s.io/engine-type";

    private final String engine;
    private final String[] families;
    private final byte[][] names = new byte[FIELDS][];

    EngineMetrics(String engine, String waiting, String running, String kvUsage) {
        this.engine = engine;
        this.families = new String[] {waiting, running, kvUsage};
        for (int field = 0; field < FIELDS; field++) {
            names[field] = families[field].getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** The engine that an endpoint's labels name. */
    static EngineMetrics of(Map<String, String> labels) {
        @Nullable String wanted = labels.get(LABEL);
        if (wanted == null) {
            wanted = labels.get(OLDER_LABEL);
        }
        for (EngineMetrics candidate : values()) {
            if (candidate.engine.equals(wanted)) {
                return candidate;
            }
        }
        return VLLM;
    }

    /** The family's name, for messages. */
    String family(int field) {
        return families[field];
    }

    /** Whether the family's name has this byte there. */
    boolean hasAt(int field, int index, byte value) {
        byte[] name = names[field];
        return index < name.length && name[index] == value;
    }

    int length(int field) {
        return names[field].length;
    }
}
