package io.penstock.bench.headroom;

import java.util.List;

/** The configuration that the experiment gives to the product, as a user would write it. Immutable. */
final class Documents {

    static final String INTERACTIVE = "interactive";

    private Documents() {
    }

    /** The objective of the batch band with this limit. */
    static String batch(int band) {
        return "batch-" + band;
    }

    /**
     * A proxy on free loopback ports before these endpoints, with one interactive band above a batch band of each size.
     *
     * @param slots what one endpoint runs at once; the gate counts exactly that
     * @param bands limits of the batch bands; 5000 is written by leaving it out, as llm-d's default
     */
    static String yaml(List<Integer> ports, int slots, int... bands) {
        StringBuilder yaml = new StringBuilder(proxy(ports)).append(picker(slots)).append("  priorityBands:\n")
                .append("  - {priority: 100, maxRequests: 2000}\n");
        for (int i = 0; i < bands.length; i++) {
            yaml.append("  - {priority: ").append(-1 - i).append(bands[i] == 5000 ? "" : ", maxRequests: " + bands[i]).append("}\n");
        }
        yaml.append(objective(INTERACTIVE, 100));
        for (int i = 0; i < bands.length; i++) {
            yaml.append(objective(batch(bands[i]), -1 - i));
        }
        return yaml.toString();
    }

    /** The proxy's own side. */
    static String proxy(List<Integer> ports) {
        StringBuilder yaml = new StringBuilder("""
                apiVersion: penstock.io/v1alpha1
                kind: ProxyConfig
                listeners: [{name: plain, address: "127.0.0.1:0"}]
                admin: {address: "127.0.0.1:0"}
                metrics: {address: "127.0.0.1:0"}
                limits: {maxConcurrentStreams: 10000}
                drain: {grace: 500ms}
                accessLog: {path: "off"}
                endpoints:
                """);
        for (int i = 0; i < ports.size(); i++) {
            yaml.append("- {name: sim-").append(i).append(", address: \"127.0.0.1:").append(ports.get(i)).append("\"}\n");
        }
        return yaml.toString();
    }

    /** Flow control that lets exactly the slots run; the keys of {@code flowControl} go on. */
    static String picker(int slots) {
        return """
                ---
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                featureGates: [flowControl]
                plugins: [{type: concurrency-detector, parameters: {maxConcurrency: %d}}]
                flowControl:
                  defaultRequestTTL: 120s
                  saturationDetector: {pluginRef: concurrency-detector}
                """.formatted(slots);
    }

    static String objective(String name, int priority) {
        return "---\napiVersion: llm-d.ai/v1alpha2\nkind: InferenceObjective\nmetadata: {name: " + name + "}\nspec: {priority: " + priority
                + "}\n";
    }
}
