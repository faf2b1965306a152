package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators see of a working proxy (contract section 5, docs/metrics.md). */
class AdminEndToEndTest {

    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final Pattern SERIES = Pattern.compile("^([a-z_0-9]+)(\\{.*})? (\\S+)$");

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private static int post(Http2RawClient client, String... headers) {
        List<String> all = new ArrayList<>(List.of(":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/x",
                "content-length", "2"));
        all.addAll(List.of(headers));
        return client.request(BODY, all.toArray(String[]::new));
    }

    /** Objects as maps in their order, arrays as lists, numbers as numbers. */
    private static @Nullable Object json(String text) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            parser.nextToken();
            Object value = value(parser);
            assertThat(parser.nextToken()).as("one document").isNull();
            return value;
        }
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    fields.put(name, value(parser));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<Object> values = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    values.add(value(parser));
                }
                yield values;
            }
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
            default -> parser.getText();
        };
    }

    @Test
    void bandsAreShownAsTheContractSays() throws Exception {
        String picker = RunningProxy.PICKER.formatted(1)
                + "  priorityBands: [{priority: 5, maxRequests: unbounded, maxBytes: unbounded}, {priority: 0, maxRequests: 100}]\n"
                + RunningProxy.objective("premium", 5);
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), "", picker); Http2RawClient client = proxy.http2()) {
            backend.hold();
            post(client, "x-llm-d-inference-objective", "premium");
            backend.awaitRunning(1);
            for (int i = 0; i < 3; i++) {
                post(client, "x-llm-d-inference-fairness-id", "tenant-" + i % 2);
            }
            proxy.awaitWaiting(0, 3);
            HttpResponse<String> response = proxy.admin("GET", "/bands");
            assertThat(response.headers().firstValue("content-type")).hasValueSatisfying(type ->
                    assertThat(type).startsWith("application/json"));
            Map<?, ?> page = (Map<?, ?>) json(response.body());
            assertThat(page.keySet()).asString().isEqualTo("[saturation, bands]");
            assertThat((Map<?, ?>) page.get("saturation")).asString().isEqualTo("{prefill=null, decode=1.0, effective=1.0}");
            List<?> bands = (List<?>) page.get("bands");
            assertThat(bands).hasSize(2);
            assertThat(bands.get(0)).asString().isEqualTo("{priority=5, maxRequests=null, requests=0, headroomRequests=null, "
                    + "maxBytes=null, bytes=0, dispatchedTotal=1, rejectedTotal=0, oldestWaitMs=0, flowCount=0, flows=[]}");
            assertThat(bands.get(1).toString()).matches("\\{priority=0, maxRequests=100, requests=3, headroomRequests=97, "
                    + "maxBytes=1000000000, bytes=6, dispatchedTotal=0, rejectedTotal=0, oldestWaitMs=\\d+, flowCount=2, "
                    + "flows=\\[\\{fairnessId=tenant-0, requests=2}, \\{fairnessId=tenant-1, requests=1}]}");
            backend.release();
            proxy.awaitQuiet();
        }
    }

    @Test
    void endpointsAreShownWithWhatTheyDo() throws Exception {
        backend.answerWhen(request -> request.uri().equals("/metrics"), Script.json(200, """
                vllm:num_requests_waiting{model_name="m"} 3
                vllm:num_requests_running{model_name="m"} 2
                vllm:kv_cache_usage_perc{model_name="m"} 0.25
                vllm:cache_config_info{block_size="16",num_gpu_blocks="64"} 1
                """));
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), "", RunningProxy.PICKER.formatted(1));
                Http2RawClient client = proxy.http2()) {
            backend.answer(Script.empty().hold("answer").head(200, "Content-Length: 0"));
            post(client);
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> {
                String body = proxy.admin("GET", "/endpoints").body();
                return body.contains("\"inFlightRequests\":1") && !body.contains("\"lastScrape\":null");
            });
            Map<?, ?> page = (Map<?, ?>) json(proxy.admin("GET", "/endpoints").body());
            List<?> endpoints = (List<?>) page.get("endpoints");
            assertThat(endpoints).hasSize(1);
            assertThat(endpoints.get(0).toString()).matches("\\{name=default/vllm-0, address=" + Pattern.quote(backend.authority())
                    + ", labels=\\{}, role=null, inFlightRequests=1, inFlightTokens=\\d+, lastScrape=\\{ageMs=\\d+, waiting=3, running=2, "
                    + "kvCacheUsage=0.25}, health=healthy, engine=\\{cacheBlockSize=16, cacheNumBlocks=64}}");
            backend.release("answer");
            proxy.awaitQuiet();
        }
    }

    @Test
    void tenRequestsAreCountedEverywhere() throws Exception {
        try (RunningProxy proxy = RunningProxy.start(2, List.of(backend), "", RunningProxy.PICKER.formatted(50));
                Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            for (int i = 0; i < 7; i++) {
                assertThat(http2.response(post(http2)).status()).isEqualTo(200);
            }
            assertThat(http2.response(post(http2, "x-llm-d-inference-ttl", "soon")).status()).isEqualTo(200);
            for (int i = 0; i < 2; i++) {
                http1.send("POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}");
                assertThat(http1.response().status()).isEqualTo(200);
            }
            proxy.awaitQuiet();
            Map<String, Double> page = series(proxy.admin("GET", "/metrics").body());
            assertThat(sum(page, "llm_d_epp_flow_control_requests_total", "outcome=\"Dispatched\"", "priority=\"0\"")).isEqualTo(10);
            assertThat(sum(page, "llm_d_epp_flow_control_request_queue_duration_seconds_count", "outcome=\"Dispatched\"")).isEqualTo(10);
            assertThat(sum(page, "llm_d_epp_flow_control_queue_size")).isZero();
            assertThat(sum(page, "llm_d_epp_flow_control_queue_bytes")).isZero();
            assertThat(sum(page, "llm_d_epp_inflight_requests", "endpoint_name=\"vllm-0\"")).isZero();
            assertThat(sum(page, "penstock_requests_total", "protocol=\"HTTP/2\"", "status=\"2xx\"", "cause=\"natural\"")).isEqualTo(8);
            assertThat(sum(page, "penstock_requests_total", "protocol=\"HTTP/1.1\"", "status=\"2xx\"")).isEqualTo(2);
            assertThat(sum(page, "penstock_request_duration_seconds_count")).isEqualTo(10);
            assertThat(sum(page, "penstock_request_first_byte_seconds_count")).isEqualTo(10);
            assertThat(sum(page, "penstock_dispatch_own_time_seconds_count")).isBetween(1.0, 10.0);
            assertThat(sum(page, "penstock_downstream_connections_total")).isEqualTo(2);
            assertThat(sum(page, "penstock_downstream_connections_active")).isEqualTo(2);
            assertThat(sum(page, "penstock_upstream_connections_total")).isBetween(1.0, 10.0);
            assertThat(sum(page, "penstock_streams_open")).isZero();
            assertThat(sum(page, "penstock_ignored_ttl_total")).isEqualTo(1);
        }
    }

    /** A family that nothing feeds in a working process would be a promise that nobody keeps. */
    @Test
    void everyDocumentedFamilyThatNeedsNoFaultIsOnThePage() throws Exception {
        backend.answerWhen(request -> request.uri().equals("/metrics"), Script.json(200, "vllm:num_requests_waiting 0\n"
                + "vllm:num_requests_running 0\nvllm:kv_cache_usage_perc 0\n"));
        String picker = """
                ---
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                featureGates: [flowControl]
                flowControl: {maxRequests: 100, maxBytes: 1Gi}
                """;
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), "", picker); Http2RawClient client = proxy.http2()) {
            Awaitility.await().atMost(Duration.ofSeconds(10))
                    .until(() -> proxy.admin("GET", "/metrics").body().contains("llm_d_epp_ready_endpoints{name=\"\"} 1.0"));
            assertThat(client.response(post(client)).status()).isEqualTo(200);
            proxy.awaitQuiet();
            // The tick of flow control shows its gauges.
            Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                TreeSet<String> missing = documented();
                missing.removeAll(families(proxy.admin("GET", "/metrics").body()));
                assertThat(missing).containsExactlyInAnyOrder("llm_d_epp_datalayer_poll_errors_total",
                        "llm_d_epp_datalayer_extract_errors_total", "llm_d_epp_flow_control_detector_saturation",
                        "penstock_flow_fallbacks_total", "penstock_flow_failures_total", "penstock_downstream_connection_faults_total",
                        "penstock_downstream_abuse_total", "penstock_downstream_malformed_requests_total", "penstock_timeouts_total",
                        // With an eviction, a program-aware policy, a denial.
                        "llm_d_epp_flow_control_pending_reclaim", "llm_d_epp_flow_control_reclaim_target",
                        "llm_d_epp_flow_control_revocation_confirmation_seconds", "llm_d_epp_flow_control_revocations_issued_total",
                        "llm_d_epp_flow_control_revocations_total", "llm_d_epp_program_aware_attained_service_tokens",
                        "llm_d_epp_program_aware_avg_wait_time_milliseconds", "llm_d_epp_program_aware_jains_fairness_index",
                        "penstock_admitter_denials_total");
            });
        }
    }

    private static TreeSet<String> documented() throws IOException {
        return Pattern.compile("^\\| `((?:llm_d_epp|penstock)_[a-z_]+)` \\|", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of(System.getProperty("penstock.root"), "docs", "metrics.md"))).results()
                .map(row -> row.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static TreeSet<String> families(String page) {
        return page.lines().filter(line -> line.startsWith("# TYPE ")).map(line -> line.split(" ")[2])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void bothPortsServeBothForms() throws Exception {
        try (RunningProxy proxy = RunningProxy.start(1, List.of(backend), "", RunningProxy.PICKER.formatted(1))) {
            for (int port : new int[] {proxy.proxy.adminAddress().getPort(), proxy.proxy.metricsAddress().getPort()}) {
                for (String path : List.of("/metrics", "/stats/prometheus")) {
                    HttpResponse<String> text = get(port, path, "text/plain");
                    assertThat(text.headers().firstValue("content-type")).hasValueSatisfying(type ->
                            assertThat(type).startsWith("text/plain; version=0.0.4"));
                    assertThat(text.body()).doesNotContain("# EOF");
                    HttpResponse<String> open = get(port, path, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
                    assertThat(open.headers().firstValue("content-type")).hasValueSatisfying(type ->
                            assertThat(type).startsWith("application/openmetrics-text"));
                    assertThat(open.body()).endsWith("# EOF\n");
                }
            }
            assertThat(get(proxy.proxy.metricsAddress().getPort(), "/bands", "*/*").statusCode()).isEqualTo(404);
            assertThat(get(proxy.proxy.metricsAddress().getPort(), "/drain", "*/*").statusCode()).isEqualTo(404);
        }
    }

    private static HttpResponse<String> get(int port, String path, String accept) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).header("accept", accept)
                .build(), HttpResponse.BodyHandlers.ofString());
    }

    private static Map<String, Double> series(String page) {
        Map<String, Double> all = new LinkedHashMap<>();
        page.lines().filter(line -> !line.startsWith("#")).map(SERIES::matcher).forEach(line -> {
            assertThat(line.matches()).isTrue();
            all.put(line.group(1) + (line.group(2) == null ? "" : line.group(2)), Double.valueOf(line.group(3)));
        });
        return all;
    }

    /** The sum of the series of a name with these labels; there must be one at least. */
    private static double sum(Map<String, Double> page, String name, String... labels) {
        List<Double> values = page.entrySet().stream()
                .filter(one -> one.getKey().equals(name) || one.getKey().startsWith(name + '{'))
                .filter(one -> List.of(labels).stream().allMatch(one.getKey()::contains)).map(Map.Entry::getValue).toList();
        assertThat(values).as(name).isNotEmpty();
        return values.stream().mapToDouble(Double::doubleValue).sum();
    }
}
