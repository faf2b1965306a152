package io.penstock.proxy.config;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The plugin types that llm-d and Penstock know, what each is for, and what we do with it. This table is the one place to change when a
 * type gets built. Immutable.
 *
 * @param name the type string
 * @param role what a reference to it expects
 * @param support what happens when it is declared
 * @param experimental whether it needs {@code --allow-experimental-plugins}
 */
record PluginType(String name, Role role, Support support, boolean experimental) {

    /** What a plugin is for. */
    enum Role {
        FAIRNESS("a fairness policy"),
        ORDERING("an ordering policy"),
        USAGE_LIMIT("a usage limit policy"),
        BAND_SELECTION("a band selection policy"),
        DETECTOR("a saturation detector"),
        DISCOVERY("a discovery plugin"),
        SOURCE("a data source"),
        EXTRACTOR("an extractor"),
        PARSER("a parser"),
        SCHEDULING("a scheduling plugin"),
        PRODUCER("a data producer"),
        ADMITTER("an admitter"),
        EVICTION("an eviction policy");

        private final String words;

        Role(String words) {
            this.words = words;
        }

        /** With its article, for messages. */
        String words() {
            return words;
        }

        /** Whether its plugins may change while the process runs. */
        boolean isReloadable() {
            return isFlowControl() || this == DETECTOR || this == ADMITTER;
        }

        /** Whether it takes part in flow control, so that it is without effect while that is off. */
        boolean isFlowControl() {
            return this == FAIRNESS || this == ORDERING || this == USAGE_LIMIT || this == BAND_SELECTION || this == EVICTION;
        }
    }

    /** What we do with a declared plugin. */
    enum Support {
        BUILT,
        /** Only chooses among endpoints or reads what nothing uses yet: a warning. */
        IGNORED,
        /** Leaving it out would change which requests are served: an error. */
        NOT_YET
    }

    static final String FILE_DISCOVERY = "file-discovery";
    static final String METRICS_SOURCE = "metrics-data-source";
    static final String METRICS_EXTRACTOR = "core-metrics-extractor";
    static final String LOAD_PRODUCER = "inflight-load-producer";
    static final String TOKEN_PRODUCER = "token-producer";
    static final String TOKENIZER = "tokenizer";
    static final String STATIC_LIMIT = "static-usage-limit-policy";
    static final String UTILIZATION = "utilization-detector";

    private static final Set<String> EXPERIMENTAL = Set.of("priority-holdback-policy", "soft-reflective-ceiling-policy",
            "sheddable-eviction-filter", "priority-then-time-eviction-order-policy", "agent-identity", "disaggregatedset-rollout-screener",
            "session-affinity-filter", "session-affinity-scorer", "endpoint-attribute-filter", "endpoint-attribute-scorer",
            "topology-affinity-filter", "topology-affinity-scorer", "topology-extractor", "utilization-filter",
            "header-label-affinity-scorer", "header-profile-handler", "dcgm-data-source", "dcgm-extractor", "burst-prefix-cache-producer",
            "p2p-source-producer", "multicluster-file-discovery");

    private static final Map<String, PluginType> ALL = table();

    static @Nullable PluginType of(String name) {
        return ALL.get(name);
    }

    static Collection<PluginType> all() {
        return ALL.values();
    }

    static Set<String> names() {
        return ALL.keySet();
    }

    private static Map<String, PluginType> table() {
        Map<String, PluginType> all = new TreeMap<>();
        add(all, Role.FAIRNESS, Support.BUILT, "global-strict-fairness-policy round-robin-fairness-policy program-aware-fairness"
                + " weighted-fairness-policy");
        add(all, Role.ORDERING, Support.BUILT, "fcfs-ordering-policy edf-ordering-policy slo-deadline-ordering-policy");
        add(all, Role.USAGE_LIMIT, Support.BUILT, STATIC_LIMIT + " priority-holdback-policy soft-reflective-ceiling-policy");
        add(all, Role.BAND_SELECTION, Support.BUILT, "starvation-bound-policy weighted-band-policy");
        add(all, Role.DETECTOR, Support.BUILT, UTILIZATION + " concurrency-detector max-saturation-detector");
        add(all, Role.DISCOVERY, Support.BUILT, FILE_DISCOVERY);
        add(all, Role.DISCOVERY, Support.NOT_YET, "multicluster-file-discovery");
        add(all, Role.SOURCE, Support.BUILT, METRICS_SOURCE);
        add(all, Role.SOURCE, Support.IGNORED,
                "models-data-source dcgm-data-source k8s-notification-source endpoint-notification-source");
        add(all, Role.EXTRACTOR, Support.BUILT, METRICS_EXTRACTOR);
        add(all, Role.EXTRACTOR, Support.IGNORED, "models-data-extractor dcgm-extractor topology-extractor");
        add(all, Role.PARSER, Support.IGNORED, "openai-parser anthropic-parser vllmhttp-parser sglanghttp-parser vllmgrpc-parser"
                + " vertexai-parser passthrough-parser");
        add(all, Role.ADMITTER, Support.BUILT, "latency-slo-admitter probabilistic-admitter");
        add(all, Role.EVICTION, Support.BUILT, "sheddable-eviction-filter priority-then-time-eviction-order-policy");
        add(all, Role.PRODUCER, Support.BUILT, AgentIdentity.TYPE);
        add(all, Role.PRODUCER, Support.BUILT, TOKEN_PRODUCER + ' ' + TOKENIZER + ' ' + LOAD_PRODUCER);
        add(all, Role.PRODUCER, Support.IGNORED, "approx-prefix-cache-producer session-id-producer predicted-latency-producer"
                + " precise-prefix-cache-producer burst-prefix-cache-producer p2p-source-producer mm-embeddings-cache-producer"
                + " request-attribute-reporter");
        add(all, Role.SCHEDULING, Support.IGNORED, "queue-scorer running-requests-size-scorer kv-cache-utilization-scorer"
                + " load-aware-scorer lora-affinity-scorer prefix-cache-scorer token-load-scorer active-request-scorer"
                + " session-affinity-scorer no-hit-lru-scorer context-length-aware header-label-affinity-scorer"
                + " endpoint-attribute-scorer mm-embeddings-cache-scorer topology-affinity-scorer latency-scorer"
                + " precise-prefix-cache-scorer");
        add(all, Role.SCHEDULING, Support.IGNORED, "decode-filter prefill-filter encode-filter label-selector-filter by-label"
                + " by-label-selector utilization-filter endpoint-attribute-filter prefix-cache-affinity-filter slo-headroom-tier-filter"
                + " topology-affinity-filter session-affinity-filter header-based-testing-filter disaggregatedset-rollout-screener");
        add(all, Role.SCHEDULING, Support.IGNORED, "max-score-picker random-picker weighted-random-picker single-profile-handler"
                + " header-profile-handler disagg-profile-handler pd-profile-handler disagg-headers-handler prefill-header-handler"
                + " data-parallel-profile-handler");
        return all;
    }

    private static void add(Map<String, PluginType> all, Role role, Support support, String names) {
        for (String name : names.split(" ")) {
            all.put(name, new PluginType(name, role, support, EXPERIMENTAL.contains(name)));
        }
    }
}
