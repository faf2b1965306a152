package io.penstock.bench.headroom;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.request.HeaderNames;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerTest {

    private static Answer read(int status, Map<String, String> headers) {
        return Answer.read(status, name -> headers.get(name.toString()), HeaderNames.HEADROOM);
    }

    @Test
    void readsTheFourHeaders() {
        assertThat(read(200, Map.of("x-llm-d-flow-band-headroom-requests", "19", "x-llm-d-flow-queue-duration-ms", "0")))
                .isEqualTo(new Answer(Outcome.DONE, 19, 0, Answer.NONE));
        assertThat(read(429, Map.of("x-llm-d-request-dropped-reason", "rejected-saturated", "retry-after", "7")))
                .isEqualTo(new Answer(Outcome.SATURATED, Answer.NONE, Answer.NONE, 7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "+1", " 1", "1.5", "abc", "0x10", "9999999999", "1, 2"})
    void whatIsNoBareNumberIsNoSignal(String text) {
        assertThat(read(200, Map.of("x-llm-d-flow-band-headroom-requests", text)).headroom()).isEqualTo(Answer.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "200, , DONE", "400, , DONE", "404, , DONE", "500, , FAILED", "502, , FAILED", "503, , FAILED", "504, , FAILED", "429, , FAILED",
        "429, rejected-saturated, SATURATED", "429, rejected-ttl-expired, TTL_EXPIRED", "429, evicted, EVICTED",
        "503, rejected-no-endpoints, NO_ENDPOINTS", "503, rejected-shutting-down, SHUTTING_DOWN",
        "503, rejected-context-cancelled, FAILED", "429, something-new, FAILED"})
    void theReasonSaysMoreThanTheStatus(int status, String reason, Outcome outcome) {
        assertThat(Outcome.of(status, reason)).isEqualTo(outcome);
    }

    @Test
    void readsNoHeadroomWhenToldSo() {
        assertThat(Answer.read(200, name -> "5", null).headroom()).isEqualTo(Answer.NONE);
    }
}
