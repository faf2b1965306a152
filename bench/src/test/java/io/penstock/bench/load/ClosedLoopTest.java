package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {

    private final ManualTicker ticker = new ManualTicker();
    private final ArrayDeque<Call> open = new ArrayDeque<>();

    @Test
    void asManyAreUnderWayAsAskedFor() {
        ClosedLoop load = new ClosedLoop(ticker, open::add, 10);
        load.begin(4, Duration.ofSeconds(1));
        assertThat(open).hasSize(4);
        open.remove().end(200);
        assertThat(open).hasSize(4);
        for (int i = 0; i < 9; i++) {
            ticker.advance(1_000);
            open.remove().end(200);
        }
        assertThat(load.done().join().answered()).isEqualTo(10);
        assertThat(open).isEmpty();
    }

    @Test
    void aClientWithoutConnectionsFailsEveryRequestAndEnds() {
        ClosedLoop load = new ClosedLoop(ticker, call -> call.failed("no connection left"), 100_000);
        load.begin(1, Duration.ofSeconds(1));
        ticker.advance(1);
        assertThat(load.done().join().failed()).containsEntry("no connection left", 100_000L);
    }

    @Test
    void itEndsAtItsLimitWithWhatIsOpen() {
        ClosedLoop load = new ClosedLoop(ticker, open::add, 10);
        load.begin(2, Duration.ofSeconds(1));
        ticker.advance(999_999_999L);
        assertThat(load.done()).isNotDone();
        ticker.advance(1);
        assertThat(load.done().join().unanswered()).isEqualTo(2);
    }
}
