package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.RejectReason;
import io.penstock.proxy.request.UpstreamFault;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Seed 1 against a stub reader: every case that the seed lists, and those of contract section 3. */
class HeadroomHeaderTest {

    private static final String HEADROOM = "x-llm-d-flow-band-headroom-requests";
    private static final String DURATION = "x-llm-d-flow-queue-duration-ms";
    private static final String DROPPED = "x-llm-d-request-dropped-reason";

    private final ChainFixture fixture = new ChainFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void normalDispatchReportsTheBandsHeadroom() {
        answerAfterDispatch(0);
        assertThat(fixture.client.header(HEADROOM)).isEqualTo("19");
        assertThat(fixture.client.header(DURATION)).isEqualTo("7");
    }

    @Test
    void priorityFallbackReportsTheBandThatAdmittedTheRequest() {
        fixture.objectives.put("premium", 5);
        fixture.capacity = priority -> new CapacitySnapshot(100, priority == 0 ? 40 : 99);
        fixture.submit("x-llm-d-inference-objective", "premium");
        assertThat(fixture.flow.last().request.flowKey().priority()).isEqualTo(5);
        fixture.dispatch(0);
        fixture.backend.last().answer("200", true);
        assertThat(fixture.client.header(HEADROOM)).isEqualTo("60");
    }

    @Test
    void requestedPriorityStaysUntouchedAfterAFallback() {
        fixture.objectives.put("premium", 5);
        var context = fixture.submit("x-llm-d-inference-objective", "premium");
        fixture.dispatch(0);
        assertThat(context.flowKey().priority()).isEqualTo(5);
        assertThat(context.effective().priority()).isZero();
    }

    @Test
    void boundedRemainingCapacityIsAPlainDecimal() {
        fixture.capacity = priority -> new CapacitySnapshot(5_000_000, 1);
        answerAfterDispatch(0);
        assertThat(fixture.client.header(HEADROOM)).isEqualTo("4999999");
    }

    @Test
    void fullBandReportsZero() {
        fixture.capacity = priority -> new CapacitySnapshot(100, 100);
        answerAfterDispatch(0);
        assertThat(fixture.client.header(HEADROOM)).isEqualTo("0");
    }

    @Test
    void overCapacityBandReportsZero() {
        fixture.capacity = priority -> new CapacitySnapshot(40, 60);
        answerAfterDispatch(0);
        assertThat(fixture.client.header(HEADROOM)).isEqualTo("0");
    }

    @Test
    void unboundedCapacityOmitsTheHeaderAndKeepsTheQueueDuration() {
        fixture.capacity = priority -> new CapacitySnapshot(CapacitySnapshot.UNBOUNDED, 3);
        answerAfterDispatch(0);
        assertThat(fixture.client.header(HEADROOM)).isNull();
        assertThat(fixture.client.header(DURATION)).isEqualTo("7");
    }

    @Test
    void missingBandOmitsTheHeader() {
        fixture.capacity = priority -> null;
        answerAfterDispatch(3);
        assertThat(fixture.client.header(HEADROOM)).isNull();
        assertThat(fixture.client.status()).isEqualTo("200");
    }

    @Test
    void snapshotErrorOmitsTheHeaderAndKeepsTheResponse() {
        fixture.capacity = priority -> {
            throw new IllegalStateException("broken on purpose");
        };
        answerAfterDispatch(0);
        assertThat(fixture.client.header(HEADROOM)).isNull();
        assertThat(fixture.client.status()).isEqualTo("200");
        assertThat(fixture.capacityFailures).hasSize(1);
    }

    @Test
    void requestThatFlowControlDidNotAdmitGetsNoHeader() {
        var context = fixture.client.request();
        fixture.chain().onRequest(context, true);
        fixture.backend.last().answer("200", true, HEADROOM, "999");
        assertThat(fixture.client.header(HEADROOM)).isNull();
        assertThat(fixture.client.header(DURATION)).isNull();
    }

    @Test
    void requestThatPassedWithFlowControlOffGetsNoHeader() {
        fixture.submit();
        fixture.flow.last().pass(new StubFlow.StubLease(fixture.endpoint));
        fixture.backend.last().answer("200", true, HEADROOM, "999");
        assertThat(fixture.client.header(HEADROOM)).isNull();
    }

    @Test
    void refusedRequestGetsTheReasonAndNoHeadroom() {
        fixture.submit();
        fixture.flow.last().refuse(RejectReason.SATURATED);
        assertThat(fixture.client.status()).isEqualTo("429");
        assertThat(fixture.client.header(HEADROOM)).isNull();
        assertThat(fixture.client.header(DURATION)).isNull();
        assertThat(fixture.client.header(DROPPED)).isEqualTo("rejected-saturated");
        assertThat(fixture.client.body).asString().isEqualTo(
                "{\"error\":{\"message\":\"The request queue is full\",\"type\":\"RateLimitError\",\"param\":null,\"code\":429}}");
    }

    @Test
    void internalRefusalCarriesNoReason() {
        fixture.submit();
        fixture.flow.last().refuse(RejectReason.INTERNAL);
        assertThat(fixture.client.status()).isEqualTo("500");
        assertThat(fixture.client.header(DROPPED)).isNull();
    }

    @Test
    void backendsCopiesAreReplacedWhateverTheirNumber() {
        fixture.submit();
        fixture.dispatch(0);
        fixture.backend.last().answer("200", true, HEADROOM, "999", HEADROOM, "abc", DROPPED, "evicted", DURATION, "-1");
        assertThat(fixture.client.head.getAll(HEADROOM)).extracting(CharSequence::toString).containsExactly("19");
        assertThat(fixture.client.head.getAll(DURATION)).extracting(CharSequence::toString).containsExactly("7");
        assertThat(fixture.client.header(DROPPED)).isNull();
    }

    @Test
    void backendsCopiesAreTakenOutOfInformationalHeadsAndTrailers() {
        fixture.submit();
        fixture.dispatch(0);
        String[] owned = {HEADROOM, DURATION, DROPPED, "retry-after", "x-request-id", "x-llm-d-flow-band-headroom"};
        fixture.backend.last().informational("103", HEADROOM, "999", DURATION, "1", DROPPED, "evicted", "retry-after", "9", "x-request-id",
                "spoofed", "x-llm-d-flow-band-headroom", "7", "link", "</a>");
        fixture.backend.last().answer("200", false, "retry-after", "9", "x-request-id", "spoofed");
        fixture.backend.last().endWithTrailers(HEADROOM, "998", DURATION, "1", DROPPED, "evicted", "retry-after", "9", "x-request-id",
                "spoofed", "x-llm-d-flow-band-headroom", "7", "x-sum", "1");
        for (String name : owned) {
            assertThat(fixture.client.informational.get(0).contains(name)).as(name).isFalse();
            assertThat(fixture.client.trailers.contains(name)).as(name).isFalse();
        }
        assertThat(fixture.client.header("retry-after")).isNull();
        assertThat(fixture.client.head.getAll("x-request-id")).hasSize(1).noneMatch("spoofed"::contentEquals);
        assertThat(fixture.client.informational).hasSize(1);
        assertThat(fixture.client.informational.get(0).contains("link")).isTrue();
        assertThat(fixture.client.trailers.contains("x-sum")).isTrue();
    }

    @Test
    void valueIsReadWhenTheResponseHeadersAreWritten() {
        AtomicLong waiting = new AtomicLong(10);
        fixture.capacity = priority -> new CapacitySnapshot(100, waiting.get());
        fixture.submit();
        fixture.dispatch(0);
        waiting.set(60);
        fixture.backend.last().answer("200", false);
        waiting.set(5);
        fixture.backend.last().answerData(ChainFixture.bytes("done"), true);
        assertThat(fixture.client.header(HEADROOM)).isEqualTo("40");
    }

    @Test
    void readHappensBeforeTheLeaseIsClosed() {
        AtomicLong closedAtRead = new AtomicLong(-1);
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.capacity = priority -> {
            closedAtRead.set(lease.closed);
            return new CapacitySnapshot(10, 1);
        };
        fixture.backend.last().answer("200", true);
        assertThat(closedAtRead).hasValue(0);
        assertThat(lease.closed).isEqualTo(1);
    }

    @Test
    void proxyMadeAnswerOfAnAdmittedRequestCarriesTheHeader() {
        fixture.submit();
        fixture.dispatch(0);
        fixture.backend.last().fail(UpstreamFault.Kind.MALFORMED, false, true, true);
        assertThat(fixture.client.status()).isEqualTo("502");
        assertThat(fixture.client.header(HEADROOM)).isEqualTo("19");
        assertThat(fixture.client.header(DROPPED)).isNull();
    }

    @Test
    void backendErrorsOfAdmittedRequestsCarryTheHeader() {
        for (String status : List.of("400", "404", "429", "500", "503")) {
            try (ChainFixture one = new ChainFixture()) {
                one.submit();
                one.dispatch(0);
                one.backend.last().answer(status, true);
                assertThat(one.client.status()).isEqualTo(status);
                assertThat(one.client.header(HEADROOM)).isEqualTo("19");
            }
        }
    }

    @Test
    void shortNameGoesOutOnlyWhenAskedFor() {
        answerAfterDispatch(0);
        assertThat(fixture.client.header("x-llm-d-flow-band-headroom")).isNull();
        try (ChainFixture asked = new ChainFixture()) {
            asked.shortName = true;
            asked.submit();
            asked.dispatch(0);
            asked.backend.last().answer("200", true);
            assertThat(asked.client.header("x-llm-d-flow-band-headroom")).isEqualTo("19");
        }
    }

    private void answerAfterDispatch(int effectivePriority) {
        fixture.submit();
        fixture.dispatch(effectivePriority);
        fixture.backend.last().answer("200", true);
    }
}
