package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.RejectReason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The one table from flow control's refusals to what a client sees (contract sections 3 and 4, spec/flow-control section 3.5). */
class LocalRepliesTest {

    @ParameterizedTest
    @CsvSource(nullValues = "absent", value = {
        "SATURATED, 429, rejected-saturated, RateLimitError, refused",
        "TTL_EXPIRED, 429, rejected-ttl-expired, RateLimitError, queue-expired",
        "NO_ENDPOINTS, 503, rejected-no-endpoints, InternalServerError, refused",
        "CONTEXT_CANCELLED, 503, rejected-context-cancelled, InternalServerError, client-disconnect",
        "SHUTTING_DOWN, 503, rejected-shutting-down, InternalServerError, shutdown",
        "INTERNAL, 500, absent, InternalServerError, internal"})
    void everyRefusalHasItsStatusReasonAndCause(RejectReason reason, String status, String header, String type, String cause) {
        try (ChainFixture fixture = new ChainFixture()) {
            fixture.submit();
            fixture.flow.last().refuse(reason);
            assertThat(fixture.client.status()).isEqualTo(status);
            assertThat(fixture.client.header("x-llm-d-request-dropped-reason")).isEqualTo(header);
            assertThat(fixture.client.header("x-llm-d-flow-band-headroom-requests")).as("nobody admitted it").isNull();
            assertThat(fixture.client.header("x-llm-d-flow-queue-duration-ms")).isNull();
            assertThat(fixture.client.header("retry-after")).isNull();
            assertThat(fixture.client.body).asString().contains("\"type\":\"" + type + '"', "\"code\":" + status, "\"param\":null");
            assertThat(fixture.ends).singleElement().extracting(end -> end.label()).isEqualTo(cause);
        }
    }

    @ParameterizedTest
    @EnumSource(RejectReason.class)
    void onlyALackOfRoomSaysWhenToComeBack(RejectReason reason) {
        try (ChainFixture fixture = new ChainFixture()) {
            fixture.submit();
            fixture.flow.last().refuse(reason, 30);
            assertThat(fixture.client.header("retry-after")).isEqualTo(reason == RejectReason.SATURATED ? "30" : null);
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aBackendsOwnRetryAfterNeverPasses(boolean last) {
        try (ChainFixture fixture = new ChainFixture()) {
            fixture.submit();
            fixture.dispatch(0);
            fixture.backend.last().answer("429", last, "retry-after", "7");
            assertThat(fixture.client.status()).isEqualTo("429");
            assertThat(fixture.client.header("retry-after")).isNull();
        }
    }
}
