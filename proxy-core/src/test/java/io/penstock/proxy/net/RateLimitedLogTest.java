package io.penstock.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitedLogTest {

    @Test
    void oneLineASecondComesThroughAndTheNextCountsTheOthers() {
        Logger logger = new LoggerContext().getLogger("test");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
        RateLimitedLog log = new RateLimitedLog(logger, now::get);

        assertThat(log.warn("first\nline")).isTrue();
        assertThat(log.warn("second")).isFalse();
        now.addAndGet(999_999_999L);
        assertThat(log.warn("third")).isFalse();
        now.addAndGet(1);
        assertThat(log.warn("fourth")).isTrue();

        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly("first?line",
                "fourth (2 more like this in the meantime)");
    }
}
