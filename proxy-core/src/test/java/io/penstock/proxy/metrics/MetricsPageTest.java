package io.penstock.proxy.metrics;

import io.penstock.proxy.request.EndCause;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Stage;
import io.penstock.flow.policy.ProgramsView;
import io.penstock.flow.policy.ProgramsView.ProgramView;
import io.penstock.proxy.admin.EndpointRow;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.ResetReason;
import io.penstock.proxy.request.UpstreamFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetricsPageTest {

    private final MetricsExport export = new MetricsExport(true);
    private final AtomicReference<List<EndpointRow>> rows = new AtomicReference<>(List.of());
    private final MeterFlowEvents flow = new MeterFlowEvents(export, "pool", System::nanoTime);
    private final PoolMeters pool = new PoolMeters(export, "pool", rows::get, Duration.ofSeconds(2));
    private final ProxyMeters proxy = new ProxyMeters(export);
    private final AtomicReference<List<ProgramsView>> programs = new AtomicReference<>(List.of());
    private final ProgramMeters programMeters = new ProgramMeters(export, programs::get);

    @AfterEach
    void close() {
        export.close();
    }

    @Test
    void everyFamilyIsInTheDocumentAndEveryNameInItIsAFamily() throws IOException {
        feedEverything();
        assertThat(Page.of(export).families()).isEqualTo(documented());
    }

    private static Set<String> documented() throws IOException {
        Pattern row = Pattern.compile("^\\| `((?:llm_d_epp|penstock|inference_extension|inference_pool)_[a-z_]+)` \\|", Pattern.MULTILINE);
        Matcher matcher = row.matcher(Files.readString(Path.of(System.getProperty("penstock.root"), "docs", "metrics.md")));
        Set<String> names = new TreeSet<>();
        while (matcher.find()) {
            assertThat(names.add(matcher.group(1))).as("twice: %s", matcher.group(1)).isTrue();
        }
        return names;
    }

    private void feedEverything() {
        FlowKey key = new FlowKey("t", 1);
        programs.set(List.of(new ProgramsView("las", 0.5, List.of(new ProgramView("a", 1, 2, 3)))));
        flow.submitted(key, 1);
        flow.fellBack(key);
        flow.settled(key, key.withPriority(0), Outcome.DISPATCHED, 1, 1);
        flow.enqueued(key, null, 1);
        flow.revoked(5, 2);
        flow.revocationEnded(true, 1);
        flow.reclaimTarget(0.2);
        flow.reclaimPending(0.1);
        flow.decided(1);
        flow.stageSaturation(Stage.DECODE, 0.1);
        flow.effectiveSaturation(0.1);
        flow.bandFill(0, 1, 2, 3, 4);
        flow.globalFill(1, 2, 3, 4);
        flow.failed("x", new IllegalStateException("broken on purpose"));
        rows.set(List.of(row("default/a", 10L, 4, 2, 0.5)));
        pool.pollError("metrics-data-source");
        pool.extractError("metrics-data-source", "core-metrics-extractor");
        pool.detectorSaturation("d", "decode", () -> 0.5);
        pool.staleEndpoints("d", () -> 1);
        proxy.requestStarted("HTTP/2");
        proxy.requestEnded("HTTP/2", 200, EndCause.NATURAL, 1, 1);
        proxy.connectionFault("tls_handshake");
        proxy.connectionAbuse("ping_flood");
        proxy.refusedBeforeHandlers(400);
        proxy.timedOut("response-headers");
        proxy.denied("probabilistic-admitter");
        proxy.accessLogDropped(() -> 6);
        proxy.bufferedBodies(() -> 7);
    }

    @Test
    void fiveWaysToEndAreFiveCausesAndAClientThatLeavesIsNo5xx() {
        end(200, EndCause.NATURAL);
        end(200, EndCause.of(ClientGone.RESET));
        end(200, EndCause.of(ResetReason.UPSTREAM_FAILED));
        end(429, EndCause.of(RejectReason.TTL_EXPIRED));
        end(200, EndCause.of(ResetReason.SHUTDOWN));
        end(0, EndCause.of(ClientGone.DISCONNECTED));
        Page page = Page.of(export);
        for (String cause : List.of("natural", "client-reset", "upstream-error", "queue-expired", "shutdown")) {
            assertThat(page.value("penstock_requests_total", "cause=\"" + cause + '"')).isEqualTo(1);
        }
        assertThat(page.value("penstock_requests_total", "cause=\"client-disconnect\"", "status=\"none\"")).isEqualTo(1);
        assertThat(page.lines("penstock_requests_total")).noneMatch(line -> line.contains("5xx"));
        assertThat(page.value("penstock_streams_open", "HTTP/2")).isZero();
        assertThat(page.value("penstock_request_duration_seconds_count", "HTTP/2")).isEqualTo(6);
        assertThat(page.value("penstock_request_first_byte_seconds_count", "HTTP/2")).isEqualTo(5);
    }

    private void end(int status, EndCause cause) {
        proxy.requestStarted("HTTP/2");
        proxy.requestEnded("HTTP/2", status, cause, 1_000, status == 0 ? -1 : 500);
    }

    @Test
    void connectionGaugesReturnToZero() {
        for (int i = 0; i < 100; i++) {
            proxy.connectionOpened();
            proxy.upstreamOpened(1_000_000);
        }
        assertThat(Page.of(export).value("penstock_downstream_connections_active")).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            proxy.connectionClosed();
            proxy.upstreamClosed();
        }
        proxy.connectionRefused();
        proxy.upstreamFault(UpstreamFault.Kind.CONNECT);
        Page page = Page.of(export);
        assertThat(page.value("penstock_downstream_connections_active")).isZero();
        assertThat(page.value("penstock_upstream_connections_active")).isZero();
        assertThat(page.value("penstock_downstream_connections_total")).isEqualTo(100);
        assertThat(page.value("penstock_downstream_connections_refused_total")).isEqualTo(1);
        assertThat(page.value("penstock_upstream_faults_total", "kind=\"connect\"")).isEqualTo(1);
    }

    @Test
    void averagesAreOverFreshEndpointsAndStayWhenThereIsNone() {
        rows.set(List.of(row("default/a", 10L, 1, 10, 0.25), row("default/b", 2_000L, 4, 20, 0.75), row("default/c", 2_001L, 100, 100, 1.0),
                row("default/d", null, null, null, null)));
        Page page = Page.of(export);
        assertThat(page.value("llm_d_epp_ready_endpoints", "name=\"pool\"")).isEqualTo(2);
        assertThat(page.value("llm_d_epp_average_queue_size")).isEqualTo(2.5);
        assertThat(page.value("llm_d_epp_std_dev_queue_size")).isEqualTo(2.12);
        assertThat(page.value("llm_d_epp_average_kv_cache_utilization")).isEqualTo(0.5);
        assertThat(page.value("llm_d_epp_per_endpoint_queue_size", "model_server_endpoint=\"c\"")).isEqualTo(100);
        assertThat(page.lines("llm_d_epp_per_endpoint_queue_size")).hasSize(3);
        assertThat(page.value("llm_d_epp_inflight_requests", "endpoint_name=\"d\"", "namespace=\"default\"")).isEqualTo(7);
        rows.set(List.of());
        page = Page.of(export);
        assertThat(page.value("llm_d_epp_ready_endpoints")).isZero();
        assertThat(page.value("llm_d_epp_average_queue_size")).isEqualTo(2.5);
        assertThat(page.lines("llm_d_epp_per_endpoint_queue_size")).isEmpty();
    }

    @Test
    void anEngineThatDoesNotSayIsNoZeroInAnAverage() {
        rows.set(List.of(row("default/a", 10L, 4, 8, 0.5), row("default/b", 10L, 2, null, 0.5)));
        Page page = Page.of(export);
        assertThat(page.value("llm_d_epp_average_running_requests")).isEqualTo(8);
        assertThat(page.value("llm_d_epp_std_dev_running_requests")).isZero();
        assertThat(page.value("llm_d_epp_average_queue_size")).isEqualTo(3);
        assertThat(page.value("inference_pool_average_running_requests")).isEqualTo(8);
        assertThat(page.value("inference_pool_ready_pods")).isEqualTo(2);
    }

    @Test
    void twoEndpointsOfOneNameDoNotSpoilThePage() {
        rows.set(List.of(row("x/a", 10L, 1, 1, 0.1), row("y/a", 10L, 2, 2, 0.2)));
        assertThat(Page.of(export).lines("llm_d_epp_per_endpoint_queue_size")).hasSize(1);
    }

    @Test
    void everyReloadIsCountedByWhatCameOfIt() {
        proxy.reloaded(ProxyMeters.Reload.APPLIED);
        proxy.reloaded(ProxyMeters.Reload.REFUSED);
        proxy.reloaded(ProxyMeters.Reload.REFUSED);
        Page page = Page.of(export);
        assertThat(page.value("penstock_config_reloads_total", "result=\"applied\"")).isEqualTo(1);
        assertThat(page.value("penstock_config_reloads_total", "result=\"refused\"")).isEqualTo(2);
        assertThat(page.value("penstock_config_reloads_total", "result=\"needs_restart\"")).isZero();
    }

    @Test
    void aProgramThatIsForgottenLosesItsSeries() {
        ProgramView hostile = new ProgramView("a\n\"", 4, 12.5, 700);
        programs.set(List.of(new ProgramsView("las", 0.25, List.of(hostile, new ProgramView("b", 1, 0, 0)))));
        Page page = Page.of(export);
        assertThat(page.value("llm_d_epp_program_aware_jains_fairness_index")).isEqualTo(0.25);
        assertThat(page.value("llm_d_epp_program_aware_avg_wait_time_milliseconds", "program_id=\"a\uFFFD\\\"\"")).isEqualTo(12.5);
        assertThat(page.value("llm_d_epp_program_aware_attained_service_tokens", "program_id=\"a\uFFFD")).isEqualTo(700);
        programs.set(List.of(new ProgramsView("las", 1, List.of(new ProgramView("b", 1, 0, 0)))));
        assertThat(Page.of(export).lines("llm_d_epp_program_aware_attained_service_tokens")).hasSize(1);
        programs.set(List.of());
        assertThat(Page.of(export).lines("llm_d_epp_program_aware_jains_fairness_index")).isEmpty();
    }

    @Test
    void oldNamesAreShownOnlyWhenAskedFor() {
        feedEverything();
        Page page = Page.of(export);
        assertThat(page.value("inference_pool_per_pod_queue_size", "model_server_pod=\"a\"")).isEqualTo(4);
        assertThat(page.value("inference_extension_flow_control_request_queue_duration_seconds_count", "fairness_id=\"t\"")).isEqualTo(1);
        try (MetricsExport plain = new MetricsExport(false)) {
            MeterFlowEvents events = new MeterFlowEvents(plain, "pool", System::nanoTime);
            events.effectiveSaturation(1);
            assertThat(Page.of(plain).families()).isNotEmpty().noneMatch(name -> name.startsWith("inference_"));
        }
    }

    /** As llm-d's asynchronous dispatcher selects: by {@code inference_pool} in flow control's families, by {@code name} elsewhere. */
    @Test
    void theOldNamesHaveTheLabelsByWhichTheirReadersSelect() {
        feedEverything();
        flow.submitted(new FlowKey("t", 2), 1);
        Page page = Page.of(export);
        assertThat(page.value("inference_extension_flow_control_queue_size", "inference_pool=\"pool\"", "fairness_id=\"t\"",
                "priority=\"2\"", "model_name=\"\"", "target_model_name=\"\"")).isEqualTo(1);
        assertThat(page.value("inference_extension_flow_control_pool_saturation", "inference_pool=\"pool\"", "stage=\"effective\""))
                .isEqualTo(0.1);
        assertThat(page.lines("inference_pool_ready_pods")).containsExactly("inference_pool_ready_pods{name=\"pool\"} 1.0");
        assertThat(page.value("inference_pool_per_pod_queue_size", "name=\"pool\"", "model_server_pod=\"a\"")).isEqualTo(4);
        assertThat(page.lines("inference_pool_per_pod_queue_size")).noneMatch(line -> line.contains("model_server_endpoint"));
    }

    @Test
    void theAcceptHeaderChoosesTheForm() {
        feedEverything();
        Page open = Page.of(export, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
        assertThat(open.type()).startsWith("application/openmetrics-text");
        assertThat(open.text()).endsWith("# EOF\n");
        Page text = Page.of(export, "text/plain");
        assertThat(text.type()).startsWith("text/plain; version=0.0.4");
        assertThat(text.text()).doesNotContain("# EOF").contains("# HELP llm_d_epp_flow_control_requests_total [ALPHA] ");
    }

    private static EndpointRow row(String name, Long ageMs, Integer waiting, Integer running, Double kvCache) {
        return new EndpointRow(name, "127.0.0.1:1", Map.of(), null, 7, 70, ageMs, waiting, running, kvCache, "healthy");
    }
}
