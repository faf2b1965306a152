package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the product logs during a test, from warnings on. Any thread. */
final class CapturedLog implements AutoCloseable {

    private static final long SECOND_MILLIS = 1_000;
    /** The limit is kept in nanoseconds and checked in wall-clock milliseconds. */
    private static final long CLOCK_SLACK_MILLIS = 20;

    private final Logger product = (Logger) LoggerFactory.getLogger("io.penstock");
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    };

    CapturedLog() {
        appender.setContext(product.getLoggerContext());
        appender.start();
        product.addAppender(appender);
    }

    List<String> lines() {
        return events.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** No defect was logged, and no place logged more than once a second. */
    void assertCalm() {
        Map<String, Long> last = new HashMap<>();
        for (ILoggingEvent event : events) {
            assertThat(event.getLevel()).as(event.getFormattedMessage()).isNotEqualTo(Level.ERROR);
            Long before = last.put(event.getLoggerName(), event.getTimeStamp());
            if (before != null) {
                assertThat(event.getTimeStamp() - before).as(() -> "between lines of " + event.getLoggerName() + ": " + lines())
                        .isGreaterThanOrEqualTo(SECOND_MILLIS - CLOCK_SLACK_MILLIS);
            }
        }
    }

    @Override
    public void close() {
        product.detachAppender(appender);
        appender.stop();
    }
}
