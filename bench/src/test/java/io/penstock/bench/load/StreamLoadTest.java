package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamLoadTest {

    private final ManualTicker ticker = new ManualTicker();
    private final List<Call> open = new ArrayList<>();

    private StreamLoad load(StreamLoad.Plan plan) {
        StreamLoad load = new StreamLoad(ticker, open::add, plan);
        load.begin(Duration.ofSeconds(5));
        ticker.advance(0);
        return load;
    }

    @Test
    void theNextBurstStartsWhenTheOneBeforeHasEnded() {
        StreamLoad load = load(new StreamLoad.Plan(2, 1, 0, Duration.ZERO, 2));
        assertThat(open).hasSize(2);
        finish(open.get(0), 1);
        ticker.advance(1);
        assertThat(open).hasSize(2);
        finish(open.get(1), 1);
        ticker.advance(1);
        assertThat(open).hasSize(4);
        finish(open.get(2), 1);
        finish(open.get(3), 1);
        assertThat(load.done().join().events()).isEqualTo(4);
    }

    @Test
    void startsAreSpreadEvenly() {
        load(new StreamLoad.Plan(4, 1, 10, Duration.ofMillis(8), 1));
        assertThat(open).hasSize(1);
        ticker.advance(5_000_000);
        assertThat(open).hasSize(3);
    }

    @Test
    void timeToTheFirstEventIsFromTheStreamsOwnStart() {
        StreamLoad load = load(new StreamLoad.Plan(1, 2, 10, Duration.ZERO, 1));
        ticker.advance(3_000_000);
        open.get(0).data(BackendStub.eventBytes());
        ticker.advance(10_000_000);
        open.get(0).data(BackendStub.eventBytes());
        open.get(0).end(200);
        StreamReport report = load.done().join();
        assertThat(report.firstEventMicros(50)).isBetween(2_990.0, 3_010.0);
        assertThat(report.nanos()).isEqualTo(13_000_000);
    }

    @Test
    void missingEventsOtherStatusesAndSilenceAreFailures() {
        StreamLoad load = load(new StreamLoad.Plan(4, 2, 0, Duration.ZERO, 1));
        finish(open.get(0), 1);
        open.get(1).end(503);
        open.get(2).failed("connection closed");
        ticker.advance(5_000_000_000L);
        StreamReport report = load.done().join();
        assertThat(report.ended()).isZero();
        assertThat(report.failed()).containsEntry("incomplete", 1L).containsEntry("status 503", 1L).containsEntry("connection closed", 1L)
                .containsEntry("unanswered", 1L);
    }

    private static void finish(Call call, int events) {
        call.data(events * BackendStub.eventBytes());
        call.end(200);
    }
}
