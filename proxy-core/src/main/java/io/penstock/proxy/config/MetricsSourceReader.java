package io.penstock.proxy.config;

import io.netty.util.ReferenceCountUtil;
import io.penstock.proxy.config.MetricsSettings.Tls;
import io.penstock.proxy.net.ClientTls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of {@code metrics-data-source} (spec/routing section 3.2). Pure but for problems, and for reading the PEM files. */
final class MetricsSourceReader {

    /**
     * The parameters.
     *
     * @param intervalNanos the source's own interval, or null for the base tick
     * @param intervalAt where the interval stands, or would
     */
    record MetricsSource(@Nullable Long intervalNanos, Location intervalAt, String path, @Nullable Integer port, @Nullable Tls tls) {
    }

    /** llm-d's floor: below it, reading metrics costs engines and proxy more than a fresher value is worth. */
    static final long MIN_INTERVAL_NANOS = MetricsSettings.DEFAULT_INTERVAL.toNanos();

    static final long MAX_INTERVAL_NANOS = Duration.ofDays(1).toNanos();

    private static final String[] TLS_ONLY = {"insecureSkipVerify", "caCertPath", "clientCertPath", "clientKeyPath"};

    private final Source source;

    MetricsSourceReader(Source source) {
        this.source = source;
    }

    MetricsSource read(Section section) {
        boolean https = section.field("scheme").choice("http", "http", "https").equals("https");
        Tls tls = tls(section, https);
        Field interval = section.field("interval");
        Field port = section.field("port");
        int number = port.present() ? port.integer(0, 1, 65_535) : 0;
        return new MetricsSource(interval.nanos(MIN_INTERVAL_NANOS, MAX_INTERVAL_NANOS), interval.at(), path(section.field("path")),
                number == 0 ? null : number, https ? tls : null);
    }

    private static String path(Field field) {
        String path = field.text();
        boolean usable = path != null && path.startsWith("/") && path.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '#');
        if (path != null && !usable) {
            field.unexpected("a path that begins with / and holds neither blanks nor #");
        }
        return usable ? path : MetricsSettings.DEFAULT_PATH;
    }

    private Tls tls(Section section, boolean https) {
        Field skip = section.field("insecureSkipVerify");
        Field caField = section.field("caCertPath");
        Field certificateField = section.field("clientCertPath");
        Field keyField = section.field("clientKeyPath");
        boolean skipVerify = skip.flag(true);
        Path ca = file(caField);
        Path certificate = file(certificateField);
        Path key = file(keyField);
        if (certificateField.present() != keyField.present()) {
            Field given = certificateField.present() ? certificateField : keyField;
            String other = certificateField.present() ? "clientKeyPath" : "clientCertPath";
            given.error("given without " + other + " (expected: both or none)");
        } else {
            tryOut(caField, ca, null, null);
            tryOut(certificateField, null, certificate, key);
        }
        if (!https) {
            for (String name : TLS_ONLY) {
                if (section.field(name).present()) {
                    section.field(name).warning("ignored, since the scheme is http (expected: scheme: https)");
                }
            }
        } else if (skipVerify && ca != null) {
            caField.warning("not used, since insecureSkipVerify is true (expected: insecureSkipVerify: false)");
        }
        return new Tls(skipVerify, ca, certificate, key);
    }

    private @Nullable Path file(Field field) {
        Path path = source.resolve(field);
        if (path != null && !(Files.isRegularFile(path) && Files.isReadable(path))) {
            field.unexpected("a file that can be read");
            return null;
        }
        return path;
    }

    /** Whether the files hold what they should is known only by using them. */
    private static void tryOut(Field field, @Nullable Path ca, @Nullable Path certificate, @Nullable Path key) {
        if (ca == null && (certificate == null || key == null)) {
            return;
        }
        try {
            ReferenceCountUtil.release(ClientTls.context(ca == null, ca, certificate, key));
        } catch (SSLException e) {
            String what = ca == null ? "a certificate in PEM and, in clientKeyPath, its key" : "certificates in PEM";
            field.error(Text.shown(String.valueOf(field.text())) + ": " + Text.shown(String.valueOf(e.getMessage()), 200)
                    + " (expected: " + what + ')');
        }
    }
}
