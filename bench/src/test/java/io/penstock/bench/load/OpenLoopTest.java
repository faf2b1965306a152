package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    private static final long MILLI = 1_000_000;

    private final ManualTicker ticker = new ManualTicker();
    private final List<Call> open = new ArrayList<>();

    private OpenLoop load(double perSecond, Duration time) {
        OpenLoop load = new OpenLoop(ticker, open::add, perSecond, time, Duration.ofSeconds(1));
        load.begin();
        return load;
    }

    private void answerAll(int status) {
        List<Call> all = new ArrayList<>(open);
        open.clear();
        all.forEach(call -> call.end(status));
    }

    @Test
    void requestsAreSentWhenTheyAreDueWhateverHappensToTheAnswers() {
        load(1000, Duration.ofSeconds(1));
        ticker.advance(99 * MILLI);
        assertThat(open).hasSize(100);
        ticker.advance(900 * MILLI);
        assertThat(open).hasSize(1000);
        ticker.advance(100 * MILLI);
        assertThat(open).as("no more than rate x time").hasSize(1000);
    }

    @Test
    void aServerThatStallsIsSeenByEveryRequestThatWasDueMeanwhile() {
        OpenLoop load = load(1000, Duration.ofSeconds(2));
        for (int i = 0; i < 1000; i++) {
            answerAll(200);
            ticker.advance(MILLI);
        }
        ticker.advance(500 * MILLI - MILLI);
        answerAll(200);
        for (int i = 0; i < 600; i++) {
            ticker.advance(MILLI);
            answerAll(200);
        }
        LatencyReport report = load.done().join();
        assertThat(report.answered()).isEqualTo(2000);
        assertThat(report.micros(50)).isLessThan(2_000);
        assertThat(report.micros(99)).as("a quarter of all waited up to 500 ms").isCloseTo(480_000, within(10_000.0));
        assertThat(report.micros(80)).isCloseTo(100_000, within(5_000.0));
    }

    @Test
    void aClientThatIsLateSendsWhatItOwesAndCountsFromTheIntendedStart() {
        OpenLoop load = load(1000, Duration.ofMillis(100));
        ticker.freeze(50 * MILLI);
        ticker.advance(0);
        assertThat(open).hasSize(51);
        answerAll(200);
        ticker.advance(60 * MILLI);
        answerAll(200);
        LatencyReport report = load.done().join();
        assertThat(report.latencies().getMaxValue()).isGreaterThan(48 * MILLI);
        assertThat(report.lateness().getMaxValue()).isGreaterThan(48 * MILLI);
    }

    @Test
    void whatHasNoAnswerWhenTheGraceIsOverCountsAsUnansweredAndAsALowerBound() {
        OpenLoop load = load(10, Duration.ofSeconds(1));
        ticker.advance(450 * MILLI);
        answerAll(200);
        ticker.advance(1449 * MILLI);
        assertThat(load.done()).isNotDone();
        ticker.advance(2 * MILLI);
        LatencyReport report = load.done().join();
        assertThat(report.unanswered()).isEqualTo(5);
        assertThat(report.answered()).isEqualTo(5);
        assertThat(report.clean()).isFalse();
        assertThat(report.faults()).contains("unanswered 5 of 10");
        assertThat(report.latencies().getMaxValue()).isGreaterThan(1_300 * MILLI);
        answerAll(200);
        assertThat(report.latencies().getTotalCount()).as("answers after the end change nothing").isEqualTo(10);
    }

    @Test
    void refusalsAndFailuresAreCountedByReasonAndNotAsLatencies() {
        OpenLoop load = load(1000, Duration.ofMillis(3));
        ticker.advance(3 * MILLI);
        open.get(0).end(429);
        open.get(1).failed("reset with code 8");
        open.get(2).end(204);
        LatencyReport report = load.done().join();
        assertThat(report.failed()).containsOnly(java.util.Map.entry("status 429", 1L), java.util.Map.entry("reset with code 8", 1L));
        assertThat(report.answered()).isEqualTo(1);
        assertThat(report.latencies().getTotalCount()).isEqualTo(1);
    }

    @Test
    void aRateOfNothingIsRefused() {
        assertThatThrownBy(() -> load(0, Duration.ofSeconds(1))).hasMessageContaining("rate: 0");
        assertThatThrownBy(() -> load(Double.NaN, Duration.ofSeconds(1))).hasMessageContaining("expected: above 0");
    }
}
