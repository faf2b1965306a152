package io.penstock.proxy.demo;

import io.penstock.flow.config.GoDuration;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of the command {@code demo} (contract section 1). Filled by picocli on one thread. */
public final class DemoOptions {

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "Address of the client port (default: ${DEFAULT-VALUE}).")
    private String host = "127.0.0.1";

    @Option(names = "--port", defaultValue = "8080", description = "Client port, 0 for any free one (default: ${DEFAULT-VALUE}).")
    private int port = 8080;

    @Option(names = "--admin-port", defaultValue = "9901", description = "Admin port, 0 for any free one (default: ${DEFAULT-VALUE}).")
    private int adminPort = 9901;

    @Option(names = "--metrics-port", defaultValue = "9090", description = "Metrics port, 0 for any free one (default: ${DEFAULT-VALUE}).")
    private int metricsPort = 9090;

    @Option(names = "--backends", defaultValue = "2", description = "Simulated model servers, 1 to 64 (default: ${DEFAULT-VALUE}).")
    private int backends = 2;

    @Option(names = "--for", converter = WithUnit.class, paramLabel = "DURATION",
            description = "Ends by itself after this long, such as 30s; without it, when it is told to stop.")
    private @Nullable Duration length;

    @Option(names = "--rate", description = "Mean of requests a second, 0 for none; by default just more than the servers can take.")
    private @Nullable Double rate;

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    int adminPort() {
        return adminPort;
    }

    int metricsPort() {
        return metricsPort;
    }

    int backends() {
        return backends;
    }

    /** How long the demo runs, null for until it is told to stop. */
    @Nullable
    Duration length() {
        return length;
    }

    /** Requests a second, null for what fits the servers. */
    @Nullable
    Double rate() {
        return rate;
    }

    /**
     * Nothing when all is well.
     *
     * @throws IllegalArgumentException naming the option that is wrong
     */
    public void check() {
        between("--port", port, 0, 65535);
        between("--admin-port", adminPort, 0, 65535);
        between("--metrics-port", metricsPort, 0, 65535);
        between("--backends", backends, 1, 64);
        if (rate != null && !(rate >= 0 && rate <= 10_000)) {
            throw new IllegalArgumentException("--rate: " + rate + " (expected: 0..10000)");
        }
        if (length != null && (length.isZero() || length.isNegative())) {
            throw new IllegalArgumentException(
                    "--for: " + GoDuration.format(length.toNanos()) + " (expected: a duration above zero, such as 30s)");
        }
    }

    private static void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ')');
        }
    }

    /** A Go duration: a bare number would leave open what it counts. */
    static final class WithUnit implements CommandLine.ITypeConverter<Duration> {
        @Override
        public Duration convert(String value) {
            try {
                return Duration.ofNanos(GoDuration.parseNanos(value));
            } catch (IllegalArgumentException wrong) {
                throw new CommandLine.TypeConversionException(wrong.getMessage());
            }
        }
    }
}
