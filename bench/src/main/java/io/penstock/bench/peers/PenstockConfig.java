package io.penstock.bench.peers;

import io.penstock.bench.load.Protocol;
import java.util.List;

/** Penstock's own configuration for each of its rows. No state; any thread. */
final class PenstockConfig {

    /** Requests of one endpoint: more than any scenario has under way. */
    static final int OPEN_LIMIT = 5_000;
    /** Requests of one endpoint: two endpoints take 32 of the 128 and 1024 that closed loops offer; the rest waits. */
    static final int GATED_LIMIT = 16;

    private PenstockConfig() {
    }

    static String text(Flow flow, Protocol out, int port, int admin, int metrics, List<Integer> backends) {
        StringBuilder text = new StringBuilder("""
                apiVersion: penstock.io/v1alpha1
                kind: ProxyConfig
                listeners: [{name: plain, address: "127.0.0.1:%d"}]
                admin: {address: "127.0.0.1:%d"}
                metrics: {address: "127.0.0.1:%d"}
                accessLog: {path: "off"}
                """.formatted(port, admin, metrics));
        String protocol = out == Protocol.H2C ? "protocol: h2c, " : "";
        text.append("upstream: {").append(protocol).append("connectTimeout: 10s}\n");
        text.append("endpoints:\n");
        for (int i = 0; i < backends.size(); i++) {
            text.append("- {name: stub-").append(i).append(", address: \"127.0.0.1:").append(backends.get(i)).append("\"}\n");
        }
        if (flow != Flow.OFF) {
            text.append("""
                    ---
                    apiVersion: llm-d.ai/v1alpha1
                    kind: EndpointPickerConfig
                    featureGates: [flowControl]
                    plugins: [{type: concurrency-detector, parameters: {maxConcurrency: %d}}]
                    flowControl:
                      saturationDetector: {pluginRef: concurrency-detector}
                      priorityBands:
                      - {priority: 10, maxRequests: 5000}
                      - {priority: 0, maxRequests: 5000}
                      - {priority: -10, maxRequests: 5000}
                    """.formatted(flow == Flow.ON ? OPEN_LIMIT : GATED_LIMIT));
        }
        return text.toString();
    }
}
