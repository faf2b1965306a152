package io.penstock.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.metrics.MetricsExport;
import io.penstock.proxy.metrics.PoolMeters;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ScrapeReportTest {

    private final AtomicLong clock = new AtomicLong(-7);
    private final MetricsExport export = new MetricsExport(false);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Endpoint one = new Endpoint(EndpointSpec.of("one", "127.0.0.1", 1, Map.of()));
    private final Endpoint two = new Endpoint(EndpointSpec.of("two", "127.0.0.1", 2, Map.of()));
    private ScrapeReport report;

    @BeforeEach
    void listen() {
        Logger logger = new LoggerContext().getLogger("test");
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
        report = new ScrapeReport(new PoolMeters(export, "pool", List::of, Duration.ofSeconds(2)), clock::get, logger);
    }

    @AfterEach
    void close() {
        export.close();
    }

    @Test
    void aLongOutageIsOneLineAtItsStartAndOneAtItsEnd() throws IOException {
        for (int i = 0; i < 100; i++) {
            report.pollFailed(one, "no connection");
        }
        report.sampled(one, 1);
        report.sampled(one, 1);
        assertThat(said()).containsExactly("default/one@127.0.0.1:1: its metrics cannot be read: no connection",
                "default/one@127.0.0.1:1: its metrics are read again");
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        export.scrape(null, page);
        assertThat(page.toString(StandardCharsets.UTF_8))
                .contains("llm_d_epp_datalayer_poll_errors_total{source_type=\"metrics-data-source\"} 100.0");
    }

    @Test
    void aMomentIsNotWorthALine() {
        report.pollFailed(one, "no connection");
        report.pollFailed(one, "no connection");
        report.sampled(one, 1);
        report.pollFailed(one, "no connection");
        report.extractFailed(two, "x");
        assertThat(said()).isEmpty();
    }

    @Test
    void upsAndDownsOfOneEndpointAreTwoLinesAMinuteAndDoNotHideAnother() {
        for (int i = 0; i < 50; i++) {
            outage(one);
        }
        outage(two);
        assertThat(said()).hasSize(4);
        clock.addAndGet(TimeUnit.MINUTES.toNanos(1));
        outage(one);
        assertThat(said()).hasSize(6).element(4).asString()
                .isEqualTo("default/one@127.0.0.1:1: its metrics cannot be read: status 503 (as 49 times in the last minute)");
    }

    @Test
    void whatAServerSaysGetsNoLineOfItsOwn() {
        for (int i = 0; i < 3; i++) {
            report.extractFailed(one, "a\r\nERROR b\u001b[31m");
        }
        assertThat(said()).containsExactly("default/one@127.0.0.1:1: its metrics lack, or hold no readable, a??ERROR b?[31m");
    }

    private void outage(Endpoint endpoint) {
        for (int i = 0; i < 3; i++) {
            report.pollFailed(endpoint, "status 503");
        }
        report.sampled(endpoint, 1);
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
