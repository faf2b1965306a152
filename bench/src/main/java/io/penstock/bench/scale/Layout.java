package io.penstock.bench.scale;

import java.util.List;

/**
 * The proxy that a point needs. Immutable.
 *
 * @param loops event loops
 * @param endpoints model servers, each a port of the stub
 * @param bands priority bands, with priorities 1 to this
 * @param atOnce the concurrency-detector's limit for each endpoint; above what is offered, nothing waits
 * @param streams of one connection
 */
record Layout(int loops, int endpoints, int bands, int atOnce, int streams) {

    static final Layout PLAIN = new Layout(1, 1, 3, 10_000, 100);

    Layout withLoops(int count) {
        return new Layout(count, endpoints, bands, atOnce, streams);
    }

    Layout withEndpoints(int count) {
        return new Layout(loops, count, bands, atOnce, streams);
    }

    Layout withBands(int count) {
        return new Layout(loops, endpoints, count, atOnce, streams);
    }

    Layout withAtOnce(int requests) {
        return new Layout(loops, endpoints, bands, requests, streams);
    }

    Layout withStreams(int count) {
        return new Layout(loops, endpoints, bands, atOnce, count);
    }

    /** The objective of a band, 1 to {@link #bands}, as a request names it. */
    static String objective(int band) {
        return "band-" + band;
    }

    /** The documents; ports are those of the listener, of admin and of metrics. */
    String yaml(List<Integer> ports, List<Integer> backends) {
        StringBuilder yaml = new StringBuilder("""
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                featureGates: [flowControl]
                plugins:
                - type: concurrency-detector
                  parameters: {concurrencyMode: requests, maxConcurrency: %d}
                flowControl:
                  defaultRequestTTL: 0s
                  saturationDetector: {pluginRef: concurrency-detector}
                  defaultPriorityBand: {maxRequests: unbounded, maxBytes: unbounded}
                  priorityBands:
                """.formatted(atOnce));
        for (int band = 1; band <= bands; band++) {
            yaml.append("  - {priority: ").append(band).append(", maxRequests: unbounded, maxBytes: unbounded}\n");
        }
        for (int band = 1; band <= bands; band++) {
            yaml.append("---\napiVersion: llm-d.ai/v1alpha2\nkind: InferenceObjective\nmetadata: {name: ").append(objective(band))
                    .append("}\nspec: {priority: ").append(band).append("}\n");
        }
        yaml.append("""
                ---
                apiVersion: penstock.io/v1alpha1
                kind: ProxyConfig
                listeners: [{name: plain, address: "127.0.0.1:%d"}]
                admin: {address: "127.0.0.1:%d"}
                metrics: {address: "127.0.0.1:%d"}
                accessLog: {path: "off"}
                drain: {timeout: 1s}
                upstream: {maxConnectionsPerEndpoint: 20000}
                timeouts: {responseHeaders: 3600s}
                limits: {maxConcurrentStreams: %d, maxConnections: 1000000}
                endpoints:
                """.formatted(ports.get(0), ports.get(1), ports.get(2), streams));
        for (int i = 0; i < backends.size(); i++) {
            yaml.append("- {name: m").append(i).append(", address: \"127.0.0.1:").append(backends.get(i)).append("\"}\n");
        }
        return yaml.toString();
    }
}
