package io.penstock.proxy.e2e;

import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.ProxyOptions;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2RawClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Prefill and decode servers, and a proxy whose prefill is bound by tokens and whose decode is bound by requests. */
final class TwoStages implements AutoCloseable {

    final List<ScriptedBackend> prefill = new ArrayList<>();
    final List<ScriptedBackend> decode = new ArrayList<>();

    TwoStages(int prefillServers, int decodeServers) {
        for (int i = 0; i < prefillServers; i++) {
            prefill.add(ScriptedBackend.start());
        }
        for (int i = 0; i < decodeServers; i++) {
            decode.add(ScriptedBackend.start());
        }
    }

    /** The endpoints of a ProxyConfig; the first servers of each stage may be left out. */
    String endpoints(int prefillFrom, int decodeFrom) {
        StringBuilder yaml = new StringBuilder("endpoints:\n");
        add(yaml, "prefill", prefill, prefillFrom);
        add(yaml, "decode", decode, decodeFrom);
        return yaml.toString();
    }

    private static void add(StringBuilder yaml, String role, List<ScriptedBackend> servers, int from) {
        for (int i = from; i < servers.size(); i++) {
            yaml.append("- {name: ").append(role).append('-').append(i).append(", address: \"").append(servers.get(i).authority())
                    .append("\", labels: {llm-d.ai/role: ").append(role).append("}}\n");
        }
    }

    /** @param more further lines of {@code saturationDetector} and {@code flowControl}, indented as there */
    static String picker(int prefillTokens, int decodeRequests, String more) {
        return """
                ---
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                featureGates: [flowControl]
                plugins:
                - {type: concurrency-detector, name: by-tokens, parameters: {concurrencyMode: tokens, maxTokenConcurrency: %d}}
                - {type: concurrency-detector, name: by-requests, parameters: {maxConcurrency: %d}}
                flowControl:
                  saturationDetector:
                    pluginRef: by-requests
                    stages: {prefill: by-tokens, decode: by-requests}
                %s
                """.formatted(prefillTokens, decodeRequests, more);
    }

    RunningProxy proxy(FlowHooks hooks, int loops, String proxyKeys, String picker) {
        return RunningProxy.start(ProxyOptions.defaults().withLoops(loops).withHooks(hooks), List.of(), proxyKeys + endpoints(0, 0),
                picker);
    }

    /** Sends a completion whose prompt is estimated at that many tokens; returns its stream. */
    static int completion(Http2RawClient client, int tokens) {
        byte[] body = ("{\"prompt\":\"" + "word".repeat(tokens) + "\"}").getBytes(StandardCharsets.US_ASCII);
        return client.request(body, ":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/completions");
    }

    @Override
    public void close() {
        prefill.forEach(ScriptedBackend::close);
        decode.forEach(ScriptedBackend::close);
    }
}
