package io.penstock.proxy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;

/**
 * The log's configuration in code, which spares every start an XML parser. Logback finds it as a service and calls it once, on the thread
 * that logs first.
 *
 * <p>It steps back where somebody brings a configuration of his own: the system property {@code logback.configurationFile}, or a
 * {@code logback-test.xml} or {@code logback.xml} on the class path. With that property set but empty it does not.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_LOW_PRIORITY)
public final class LogSetup extends ContextAwareBase implements Configurator {

    /**
     * One event, one line: what a client sent may stand in a message, so control characters leave it. A stack trace follows only where
     * the code passed a throwable, which it does for defects and not for faults of peers.
     */
    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0}"
            + " - %replace(%msg){'[\\x00-\\x08\\x0A-\\x1F\\x7F-\\x9F]', '?'}%n%ex";

    @Override
    public ExecutionStatus configure(LoggerContext logs) {
        if (somebodyElseDoes()) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(logs);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setPattern(PATTERN);
        encoder.start();
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(logs);
        // Standard output belongs to the access log and to what commands print.
        stderr.setTarget("System.err");
        stderr.setEncoder(encoder);
        stderr.start();
        // Libraries stay at warnings whatever the level: their debug output shows header values.
        logs.getLogger("io.penstock").setLevel(Level.toLevel(System.getProperty("penstock.logLevel"), Level.INFO));
        ch.qos.logback.classic.Logger root = logs.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(stderr);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static boolean somebodyElseDoes() {
        String file = System.getProperty("logback.configurationFile");
        if (file != null) {
            return !file.isEmpty();
        }
        ClassLoader classes = LogSetup.class.getClassLoader();
        return classes.getResource("logback-test.xml") != null || classes.getResource("logback.xml") != null;
    }
}
