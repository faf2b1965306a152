package io.penstock.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.Stage;
import io.penstock.proxy.metrics.MetricsExport;
import io.penstock.proxy.metrics.PoolMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DetectorSeriesTest {

    private final MetricsExport export = new MetricsExport(false);
    private final List<String> failures = new ArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(DetectorSeries.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final DetectorSeries series = new DetectorSeries(new PoolMeters(export, "", List::of, Duration.ofSeconds(2)), new FlowEvents() {
        @Override
        public void failed(String what, Throwable cause) {
            failures.add(what);
        }
    });

    /** Near its end, so that it wraps around while the test runs. */
    private long now = Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void close() {
        logger.detachAppender(logged);
        export.close();
    }

    /** Spec/flow-control section 12, case 61. */
    @Test
    void staleEndpointsAreALineAtMostEveryThirtySeconds() {
        ask(Duration.ZERO, 2);
        ask(Duration.ofMillis(999), 2);
        assertThat(logged.list).as("at the start nothing can have been scraped").isEmpty();
        ask(Duration.ofMillis(1), 0);
        assertThat(logged.list).isEmpty();
        ask(Duration.ZERO, 3);
        ask(Duration.ofMillis(29_999), 3);
        assertThat(logged.list).extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("mine: endpoints without fresh metrics, which count as full: 3");
        ask(Duration.ofMillis(1), 1);
        assertThat(logged.list).hasSize(2);
    }

    @Test
    void everyDetectorHasItsOwnLine() {
        series.stale("one", Stage.DECODE, 1, now);
        series.stale("two", null, 1, now);
        now += Duration.ofSeconds(1).toNanos();
        series.stale("one", Stage.DECODE, 1, now);
        series.stale("two", null, 1, now);
        assertThat(logged.list).hasSize(2);
    }

    @Test
    void aChildThatFailedIsCountedWithTheOthersThatFail() {
        series.failed("child", new IllegalStateException("on purpose"));
        assertThat(failures).containsExactly("child");
    }

    @Test
    void leavingWhatWasNeverAskedIsNothing() {
        series.left("nobody", Stage.PREFILL);
        series.left("nobody", null);
        assertThat(failures).isEmpty();
    }

    private void ask(Duration later, int stale) {
        now += later.toNanos();
        series.stale("mine", Stage.DECODE, stale, now);
    }
}
