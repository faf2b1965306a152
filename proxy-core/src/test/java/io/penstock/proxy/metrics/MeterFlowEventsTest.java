package io.penstock.proxy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MeterFlowEventsTest {

    private static final String FLOW = "llm_d_epp_flow_control_";
    private static final long MILLI = 1_000_000L;

    private final ManualClock clock = new ManualClock();
    private final MetricsExport export = new MetricsExport(false);
    private final MeterFlowEvents events = new MeterFlowEvents(export, "pool", clock);

    @AfterEach
    void close() {
        export.close();
    }

    @Test
    void aSubmissionCountsIntoSizeAndBytesUntilItSettles() {
        FlowKey key = new FlowKey("tenant", 3);
        events.submitted(key, 500);
        events.submitted(key, 20);
        assertThat(Page.of(export).lines(FLOW + "queue_size")).containsExactly(FLOW
                + "queue_size{fairness_id=\"tenant\",inference_pool=\"pool\",model_name=\"\",priority=\"3\",target_model_name=\"\"} 2.0");
        assertThat(Page.of(export).value(FLOW + "queue_bytes")).isEqualTo(520);
        events.settled(key, key, Outcome.DISPATCHED, 500, MILLI);
        events.settled(key, key, Outcome.EVICTED_TTL, 20, 60_000 * MILLI);
        assertThat(Page.of(export).value(FLOW + "queue_size")).isZero();
        assertThat(Page.of(export).value(FLOW + "queue_bytes")).isZero();
    }

    @Test
    void afterAFallbackTheWaitGoesToTheEffectivePriorityAndAllElseToTheRequested() {
        FlowKey requested = new FlowKey("tenant", 5);
        events.submitted(requested, 1);
        events.fellBack(requested);
        events.settled(requested, requested.withPriority(0), Outcome.DISPATCHED, 1, 2 * MILLI);
        Page page = Page.of(export);
        String waits = FLOW + "request_queue_duration_seconds";
        assertThat(page.value(waits + "_count", "priority=\"0\"", "outcome=\"Dispatched\"")).isEqualTo(1);
        assertThat(page.value(waits + "_sum", "priority=\"0\"")).isEqualTo(0.002);
        assertThat(page.lines(waits + "_count")).noneMatch(line -> line.contains("priority=\"5\""));
        assertThat(page.value(FLOW + "requests_total", "priority=\"5\"", "outcome=\"Dispatched\"")).isEqualTo(1);
        assertThat(page.value("penstock_flow_fallbacks_total", "priority=\"5\"")).isEqualTo(1);
    }

    @Test
    void theQueueDurationHasLlmDsBuckets() {
        FlowKey key = new FlowKey("t", 0);
        events.submitted(key, 0);
        events.settled(key, key, Outcome.DISPATCHED, 0, 5 * MILLI);
        List<String> buckets = Page.of(export).lines(FLOW + "request_queue_duration_seconds_bucket");
        assertThat(buckets.stream().map(line -> line.replaceAll(".*le=\"([^\"]*)\".* (.*)", "$1 $2"))).containsExactly("1.0E-4 0",
                "5.0E-4 0", "0.001 0", "0.005 1", "0.01 1", "0.025 1", "0.05 1", "0.1 1", "0.25 1", "0.5 1", "1.0 1", "2.5 1", "5.0 1",
                "10.0 1", "30.0 1", "60.0 1", "+Inf 1");
    }

    @Test
    void aRefusalBeforeThereWasAnythingToQueueHasNoQueueDuration() {
        FlowKey key = new FlowKey("t", 0);
        events.submitted(key, 0);
        events.settled(key, key, Outcome.REJECTED_OTHER, 0, 0);
        Page page = Page.of(export);
        assertThat(page.lines(FLOW + "request_queue_duration_seconds_count")).isEmpty();
        assertThat(page.value(FLOW + "requests_total", "outcome=\"RejectedOther\"")).isEqualTo(1);
    }

    @Test
    void aStageWithoutEndpointsLosesItsSeries() {
        events.stageSaturation(Stage.PREFILL, 0.25);
        events.stageSaturation(Stage.DECODE, 1.5);
        events.effectiveSaturation(1.5);
        assertThat(Page.of(export).value(FLOW + "pool_saturation", "stage=\"prefill\"")).isEqualTo(0.25);
        events.stageEmpty(Stage.PREFILL);
        Page page = Page.of(export);
        assertThat(page.lines(FLOW + "pool_saturation")).containsExactlyInAnyOrder(
                FLOW + "pool_saturation{inference_pool=\"pool\",stage=\"decode\"} 1.5",
                FLOW + "pool_saturation{inference_pool=\"pool\",stage=\"effective\"} 1.5");
    }

    @Test
    void aBandShowsItsFillUntilItGoesAndAnUnboundedOneShowsNone() {
        events.bandFill(10, 81, 100, 5, 10);
        events.bandFill(0, 3, CapacitySnapshot.UNBOUNDED, 4, CapacitySnapshot.UNBOUNDED);
        events.globalFill(84, CapacitySnapshot.UNBOUNDED, 9, 90);
        Page page = Page.of(export);
        assertThat(page.lines(FLOW + "capacity_utilization_requests"))
                .containsExactly(FLOW + "capacity_utilization_requests{inference_pool=\"pool\",priority=\"10\"} 0.81");
        assertThat(page.value(FLOW + "capacity_utilization_bytes")).isEqualTo(0.5);
        assertThat(page.lines(FLOW + "global_capacity_utilization_requests")).isEmpty();
        assertThat(page.value(FLOW + "global_capacity_utilization_bytes")).isEqualTo(0.1);
        events.bandRemoved(10);
        assertThat(Page.of(export).lines(FLOW + "capacity_utilization_requests")).isEmpty();
    }

    @Test
    void anArrivalIsTimedToItsQueueUnderTheEffectivePriority() {
        FlowKey key = new FlowKey("t", 0);
        events.enqueued(key, null, 150_000);
        events.enqueued(key, Outcome.EVICTED_CONTEXT_CANCELLED, 150_000);
        Page page = Page.of(export);
        assertThat(page.value(FLOW + "request_enqueue_duration_seconds_count", "fairness_id=\"t\"", "priority=\"0\"",
                "outcome=\"NotYetFinalized\"")).isEqualTo(1);
        assertThat(page.value(FLOW + "request_enqueue_duration_seconds_bucket", "outcome=\"NotYetFinalized\"", "le=\"2.0E-4\""))
                .isEqualTo(1);
        assertThat(page.value(FLOW + "request_enqueue_duration_seconds_count", "outcome=\"EvictedContextCancelled\"")).isEqualTo(1);
    }

    @Test
    void aFlowThatIsForgottenLosesTheSeriesOfAllFourFamiliesAtOnce() {
        for (String id : List.of("gone", "stays", "other")) {
            FlowKey key = new FlowKey(id, 3);
            events.submitted(key, 1);
            events.enqueued(key, null, 1);
            events.settled(key, key, Outcome.DISPATCHED, 1, 1);
        }
        events.flowRemoved(new FlowKey("gone", 3));
        events.flowRemoved(new FlowKey("stays", 4));
        events.flowRemoved(new FlowKey("other", 3));
        Page page = Page.of(export);
        assertThat(page.text()).doesNotContain("\"gone\"");
        for (String family : List.of("queue_size", "queue_bytes", "request_queue_duration_seconds_count",
                "request_enqueue_duration_seconds_count")) {
            assertThat(page.lines(FLOW + family)).as(family).hasSize(2).anyMatch(line -> line.contains("\"other\""))
                    .anyMatch(line -> line.contains("\"stays\""));
        }
        assertThat(page.value(FLOW + "requests_total", "priority=\"3\"")).as("the counter has no flow").isEqualTo(3);
    }

    @Test
    void aForgottenFlowThatSomebodyHasJustEnteredKeepsItsSeries() {
        FlowKey key = new FlowKey("back", 0);
        events.submitted(key, 7);
        events.flowRemoved(key);
        assertThat(Page.of(export).value(FLOW + "queue_bytes", "back")).isEqualTo(7);
        events.settled(key, key, Outcome.DISPATCHED, 7, 1);
        assertThat(Page.of(export).value(FLOW + "queue_bytes", "back")).isZero();
    }

    @Test
    void revocationsAreCountedTimedAndSummedUp() {
        assertThat(Page.of(export).text()).as("no series where eviction is off").doesNotContain("revocation", "reclaim");
        events.reclaimTarget(0.25);
        events.revoked(10, 2);
        events.reclaimPending(0.2);
        events.revocationEnded(true, 30_000_000);
        events.revocationEnded(false, 10_000_000_000L);
        Page page = Page.of(export);
        assertThat(page.value(FLOW + "revocations_issued_total", "priority=\"10\"", "inference_pool=\"pool\"")).isEqualTo(2);
        assertThat(page.value(FLOW + "revocations_total", "outcome=\"confirmed\"")).isEqualTo(1);
        assertThat(page.value(FLOW + "revocations_total", "outcome=\"timed_out\"")).isEqualTo(1);
        assertThat(page.value(FLOW + "reclaim_target")).isEqualTo(0.25);
        assertThat(page.value(FLOW + "pending_reclaim")).isEqualTo(0.2);
        assertThat(page.value(FLOW + "revocation_confirmation_seconds_count")).as("not on a timeout").isEqualTo(1);
        assertThat(page.value(FLOW + "revocation_confirmation_seconds_bucket", "le=\"0.025\"")).isZero();
        assertThat(page.value(FLOW + "revocation_confirmation_seconds_bucket", "le=\"0.05\"")).isEqualTo(1);
    }

    @Test
    void aDecisionIsTimed() {
        events.decided(150_000);
        Page page = Page.of(export);
        assertThat(page.value(FLOW + "dispatch_cycle_duration_seconds_bucket", "le=\"1.0E-4\"")).isZero();
        assertThat(page.value(FLOW + "dispatch_cycle_duration_seconds_bucket", "le=\"2.0E-4\"")).isEqualTo(1);
    }

    @Test
    void theThousandAndFirstFairnessIdIsOther() {
        for (int i = 0; i < 20_000; i++) {
            FlowKey key = new FlowKey("tenant-" + i, 0);
            events.submitted(key, 1);
            if (i % 2 == 0) {
                events.settled(key, key, Outcome.DISPATCHED, 1, 0);
            }
        }
        Page page = Page.of(export);
        assertThat(page.lines(FLOW + "queue_size")).hasSize(1001);
        assertThat(page.value(FLOW + "queue_size", "fairness_id=\"other\"")).isEqualTo(9_500);
        assertThat(page.value(FLOW + "queue_size", "fairness_id=\"tenant-999\"")).isEqualTo(1);
        for (int i = 1; i < 20_000; i += 2) {
            FlowKey key = new FlowKey("tenant-" + i, 0);
            events.settled(key, key, Outcome.DISPATCHED, 1, 0);
        }
        assertThat(Page.of(export).lines(FLOW + "queue_size")).allMatch(line -> line.endsWith(" 0.0"));
    }

    @Test
    void whatClientsSendCannotBreakThePage() {
        List<String> hostile = List.of("a\"b\n\\c", "x".repeat(10_240), "nul\0esc\u001b[31m", "\uD800", "\uDC00", "line\r\n# TYPE x",
                "\uD83D\uDE00", "caf\u00e9");
        for (String id : hostile) {
            events.submitted(new FlowKey(id, 0), 0);
        }
        for (String accept : new String[] {null, "application/openmetrics-text; version=1.0.0"}) {
            Page page = Page.of(export, accept);
            assertThat(page.lines(FLOW + "queue_size")).hasSize(hostile.size() - 1)
                    .anyMatch(line -> line.contains("\"a\\\"b\uFFFD\\\\c\""));
            assertThat(page.lines()).allMatch(line -> line.length() < 400);
            assertThat(page.text()).contains("\uD83D\uDE00", "caf\u00e9");
        }
    }

    @Test
    void aFlowThatRestsLosesItsSeriesAndComesBackWithNewOnes() {
        FlowKey rests = new FlowKey("rests", 0);
        FlowKey waits = new FlowKey("waits", 0);
        events.submitted(rests, 1);
        events.settled(rests, rests, Outcome.DISPATCHED, 1, 0);
        events.submitted(waits, 1);
        pass(Duration.ofMinutes(10));
        Page page = Page.of(export);
        assertThat(page.text()).doesNotContain("rests").contains("fairness_id=\"waits\"");
        events.submitted(rests, 7);
        assertThat(Page.of(export).value(FLOW + "queue_bytes", "rests")).isEqualTo(7);
    }

    @Test
    void theOverflowLabelIsNeverGivenUp() {
        FlowKey other = new FlowKey("other", 0);
        events.submitted(other, 1);
        events.settled(other, other, Outcome.DISPATCHED, 1, 0);
        pass(Duration.ofMinutes(10));
        assertThat(Page.of(export).lines(FLOW + "queue_size")).hasSize(1);
    }

    @Test
    void sizesAreZeroAtRestHoweverSubmissionsAndSweepsRace() throws Exception {
        int threads = 4;
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    FlowKey key = new FlowKey("t" + i % 7, i % 3);
                    events.submitted(key, 3);
                    events.settled(key, key.withPriority(0), Outcome.DISPATCHED, 3, 1);
                }
                done.countDown();
            }).start();
        }
        while (done.getCount() > 0) {
            pass(Duration.ofMinutes(7));
        }
        Page page = Page.of(export);
        assertThat(page.lines(FLOW + "queue_size")).allMatch(line -> line.endsWith(" 0.0"));
        assertThat(page.lines(FLOW + "queue_bytes")).allMatch(line -> line.endsWith(" 0.0"));
        double counted = page.lines(FLOW + "requests_total").stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
        assertThat(counted).isEqualTo(threads * 20_000);
    }

    @Test
    void aBrokenPolicyIsCountedEachTime() {
        for (int i = 0; i < 3; i++) {
            events.failed("fairness-policy", new IllegalStateException("broken on purpose"));
        }
        assertThat(Page.of(export).value("penstock_flow_failures_total", "what=\"fairness-policy\"")).isEqualTo(3);
    }

    private void pass(Duration time) {
        for (long minute = 0; minute < time.toMinutes(); minute++) {
            clock.advance(Duration.ofMinutes(1));
            Page.of(export);
        }
    }
}
