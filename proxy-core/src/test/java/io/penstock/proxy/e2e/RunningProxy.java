package io.penstock.proxy.e2e;

import io.penstock.flow.BandView;
import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.Proxy;
import io.penstock.proxy.ProxyOptions;
import io.penstock.proxy.StartException;
import io.penstock.proxy.config.ConfigLoader;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.config.Source;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;

/** A whole proxy on free loopback ports before scripted backends, started from documents as a user writes them. */
final class RunningProxy implements AutoCloseable {

    /** The detector that counts exactly, one request at a time an endpoint unless a test says otherwise. */
    static final String PICKER = """
            ---
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            featureGates: [flowControl]
            plugins: [{type: concurrency-detector, parameters: {maxConcurrency: %d}}]
            flowControl:
              saturationDetector: {pluginRef: concurrency-detector}
            """;

    final Proxy proxy;
    private final Queue<AutoCloseable> clients = new ConcurrentLinkedQueue<>();

    private RunningProxy(Proxy proxy) {
        this.proxy = proxy;
    }

    /** Starts one; {@code proxyKeys} are further keys of ProxyConfig, {@code documents} further documents. */
    static RunningProxy start(int loops, List<ScriptedBackend> backends, String proxyKeys, String documents) {
        return start(ProxyOptions.defaults().withLoops(loops), backends, proxyKeys, documents);
    }

    static RunningProxy start(int loops, FlowHooks hooks, List<ScriptedBackend> backends, String proxyKeys, String documents) {
        return start(ProxyOptions.defaults().withLoops(loops).withHooks(hooks), backends, proxyKeys, documents);
    }

    static RunningProxy start(ProxyOptions options, List<ScriptedBackend> backends, String proxyKeys, String documents) {
        try {
            return new RunningProxy(Proxy.start(settings(yaml(backends, proxyKeys, documents)), options));
        } catch (StartException e) {
            throw new AssertionError(e);
        }
    }

    /** One with a second listener named {@code tls}; {@code tlsKeys} follow its certificate and key, such as {@code , clientCa: x.pem}. */
    static RunningProxy startTls(int loops, List<ScriptedBackend> backends, Path certificate, Path key, String tlsKeys) {
        String yaml = yaml(backends, "", PICKER.formatted(100)).replace("listeners: [", "listeners: [{name: tls, address: \"127.0.0.1:0\", "
                + "tls: {certificate: \"" + certificate + "\", privateKey: \"" + key + "\"" + tlsKeys + "}}, ");
        try {
            return new RunningProxy(Proxy.start(settings(yaml), ProxyOptions.defaults().withLoops(loops)));
        } catch (StartException e) {
            throw new AssertionError(e);
        }
    }

    /** The documents of such a proxy. */
    static String yaml(List<ScriptedBackend> backends, String proxyKeys, String documents) {
        StringBuilder yaml = new StringBuilder("""
                apiVersion: penstock.io/v1alpha1
                kind: ProxyConfig
                listeners: [{name: plain, address: "127.0.0.1:0"}]
                admin: {address: "127.0.0.1:0"}
                metrics: {address: "127.0.0.1:0"}
                accessLog: {path: "off"}
                """);
        yaml.append(proxyKeys);
        if (!backends.isEmpty()) {
            yaml.append("endpoints:\n");
            for (int i = 0; i < backends.size(); i++) {
                yaml.append("- {name: vllm-").append(i).append(", address: \"").append(backends.get(i).authority()).append("\"}\n");
            }
        }
        return yaml.append(documents).toString();
    }

    static Settings settings(String yaml) {
        return settings(yaml, LoadOptions.none());
    }

    /** With experimental plugin types allowed. */
    static Settings experimental(String yaml) {
        return settings(yaml, LoadOptions.none().withExperimental());
    }

    private static Settings settings(String yaml, LoadOptions options) {
        LoadResult loaded = ConfigLoader.load(List.of(Source.text(yaml)), options);
        if (loaded.settings() == null) {
            throw new AssertionError(yaml + loaded.problems());
        }
        return loaded.settings();
    }

    /** An objective document. */
    static String objective(String name, int priority) {
        return "---\napiVersion: llm-d.ai/v1alpha2\nkind: InferenceObjective\nmetadata: {name: " + name + "}\nspec: {priority: " + priority
                + "}\n";
    }

    int port() {
        return proxy.address("plain").getPort();
    }

    int tlsPort() {
        return proxy.address("tls").getPort();
    }

    /** A client, closed before the proxy if the test has not done it, since a proxy waits a while for its clients to go. */
    Http2RawClient http2() throws IOException {
        return kept(Http2RawClient.connect(port()));
    }

    /** As {@link #http2()}. */
    Http1RawClient http1() throws IOException {
        return kept(Http1RawClient.connect(port()));
    }

    private <C extends AutoCloseable> C kept(C client) {
        clients.add(client);
        return client;
    }

    BandView band(int priority) {
        return proxy.bands().stream().filter(band -> band.priority() == priority).findFirst()
                .orElseThrow(() -> new AssertionError("no band " + priority));
    }

    /** Waits until that many requests wait in a band. */
    void awaitWaiting(int priority, long requests) {
        Awaitility.await().pollInterval(Duration.ofMillis(2)).atMost(Duration.ofSeconds(20))
                .until(() -> band(priority).requests() == requests);
    }

    /** Waits until nothing waits, nothing runs and no request is open: every counter is back at zero. */
    void awaitQuiet() {
        Awaitility.await().pollInterval(Duration.ofMillis(2)).atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            org.assertj.core.api.Assertions.assertThat(proxy.bands()).allMatch(band -> band.requests() == 0 && band.bytes() == 0);
            org.assertj.core.api.Assertions.assertThat(proxy.endpoints()).allMatch(row -> row.inFlightRequests() == 0);
            org.assertj.core.api.Assertions.assertThat(proxy.openRequests()).isZero();
        });
    }

    /** A request to the admin port. */
    HttpResponse<String> admin(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + proxy.adminAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody()).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** The sum over all series whose line begins like that. */
    double metric(String begin) throws IOException, InterruptedException {
        return admin("GET", "/metrics").body().lines().filter(line -> line.startsWith(begin))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
    }

    @Override
    public void close() {
        for (AutoCloseable client : clients) {
            try {
                client.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        proxy.close();
    }
}
