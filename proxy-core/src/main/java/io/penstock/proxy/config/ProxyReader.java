package io.penstock.proxy.config;

import io.penstock.flow.Stage;
import io.penstock.proxy.config.ProxyConfig.AccessLog;
import io.penstock.proxy.config.ProxyConfig.Compat;
import io.penstock.proxy.config.ProxyConfig.Drain;
import io.penstock.proxy.config.ProxyConfig.HostPort;
import io.penstock.proxy.config.ProxyConfig.Limits;
import io.penstock.proxy.config.ProxyConfig.StaticEndpoint;
import io.penstock.proxy.config.ProxyConfig.Timeouts;
import io.penstock.proxy.config.ProxyConfig.Upstream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the document {@code ProxyConfig} (contract section 2). Pure but for problems, and for looking whether files can be read. */
final class ProxyReader {

    /** @param endpointsAt where static endpoints are given, or null when none are */
    record Proxy(ProxyConfig config, @Nullable Location endpointsAt) {
    }

    private static final long LONGEST_NANOS = Duration.ofDays(365).toNanos();
    private static final long SHORTEST_NANOS = Duration.ofMillis(1).toNanos();
    private static final long MOST_BODY = 1L << 40;
    private static final int LEAST_HEADER_BYTES = 1 << 10;
    private static final int MOST_HEADER_BYTES = 16 << 20;

    private ProxyReader() {
    }

    static Proxy read(Section section, Source source) {
        ProxyConfig defaults = ProxyConfig.defaults();
        HostPort admin = address(section.field("admin"), defaults.admin());
        HostPort metrics = withPort(address(section.field("metrics"), defaults.metrics()), section.reading().options().metricsPort());
        ListenersReader listeners = new ListenersReader(source, admin, metrics);
        Field endpoints = section.field("endpoints");
        if (section.field("tracing").present()) {
            section.field("tracing").error("not supported yet");
        }
        ProxyConfig config = new ProxyConfig(listeners.read(section.field("listeners"), defaults.listeners()), admin, metrics,
                endpoints(endpoints), part(section, "upstream", ProxyReader::upstream, Upstream.defaults()),
                part(section, "timeouts", ProxyReader::timeouts, Timeouts.defaults()),
                part(section, "limits", ProxyReader::limits, Limits.defaults()),
                part(section, "drain", ProxyReader::drain, Drain.defaults()),
                part(section, "accessLog", log -> accessLog(log, source), AccessLog.defaults()),
                part(section, "compat", ProxyReader::compat, defaults.compat()));
        return new Proxy(config, endpoints.items().isEmpty() ? null : endpoints.at());
    }

    static HostPort withPort(HostPort address, @Nullable Integer port) {
        return port == null ? address : new HostPort(address.host(), port);
    }

    private static <T> T part(Section section, String key, Function<Section, T> body, T defaults) {
        T read = section.field(key).map(body);
        return read == null ? defaults : read;
    }

    private static HostPort address(Field field, HostPort fallback) {
        HostPort read = field.map(section -> {
            Field address = section.field("address");
            return address.address();
        });
        return read == null ? fallback : read;
    }

    private static List<StaticEndpoint> endpoints(Field list) {
        Map<String, StaticEndpoint> byName = new LinkedHashMap<>();
        for (Field item : list.items()) {
            StaticEndpoint endpoint = item.map(section -> endpoint(section, "endpoint-" + byName.size()));
            if (endpoint != null && byName.putIfAbsent(endpoint.name(), endpoint) != null) {
                item.error("name " + Text.shown(endpoint.name()) + " given twice (expected: one endpoint a name)");
            }
        }
        return List.copyOf(byName.values());
    }

    private static @Nullable StaticEndpoint endpoint(Section section, String fallbackName) {
        Field nameField = section.field("name");
        String name = nameField.present() ? nameField.name() : fallbackName;
        Field field = section.required("address", "host:port of a model server");
        HostPort address = field.address();
        Map<String, String> labels = section.field("labels").map(ProxyReader::labels);
        if (address != null && address.port() == 0) {
            field.unexpected("a port from 1 to 65535");
        }
        return name == null || address == null ? null : new StaticEndpoint(name, address, labels == null ? Map.of() : labels);
    }

    static Map<String, String> labels(Section section) {
        Map<String, String> labels = new LinkedHashMap<>();
        section.all().forEach((key, field) -> {
            String value = field.text("");
            labels.put(key, value);
            if (key.equals(Stage.ROLE_LABEL) && !value.isEmpty() && !Stage.ROLES.contains(value)) {
                field.warning(Text.shown(value) + ": no such role, so the endpoint serves no stage "
                        + Text.hint(value, Stage.ROLES));
            }
        });
        return Map.copyOf(labels);
    }

    private static Upstream upstream(Section section) {
        Upstream defaults = Upstream.defaults();
        return new Upstream(section.field("protocol").choice(defaults.protocol(), Upstream.HTTP1, Upstream.H2C),
                duration(section, "connectTimeout", defaults.connectTimeout(), SHORTEST_NANOS),
                duration(section, "idleTimeout", defaults.idleTimeout(), SHORTEST_NANOS),
                count(section, "maxConnectionsPerEndpoint", defaults.maxConnectionsPerEndpoint(), 1, 1_000_000));
    }

    private static Timeouts timeouts(Section section) {
        Timeouts defaults = Timeouts.defaults();
        return new Timeouts(duration(section, "responseHeaders", defaults.responseHeaders(), SHORTEST_NANOS),
                duration(section, "streamIdle", defaults.streamIdle(), SHORTEST_NANOS),
                duration(section, "writeStall", defaults.writeStall(), SHORTEST_NANOS),
                duration(section, "request", defaults.request(), 0));
    }

    private static Limits limits(Section section) {
        Limits defaults = Limits.defaults();
        return new Limits(section.field("maxRequestBodyBytes").size(defaults.maxRequestBodyBytes(), 1, MOST_BODY),
                section.field("maxBufferedBodyBytes").size(defaults.maxBufferedBodyBytes(), 1, MOST_BODY),
                count(section, "maxHeaderBytes", defaults.maxHeaderBytes(), LEAST_HEADER_BYTES, MOST_HEADER_BYTES),
                count(section, "maxHeaders", defaults.maxHeaders(), 1, 10_000),
                count(section, "maxConcurrentStreams", defaults.maxConcurrentStreams(), 1, 1_000_000),
                count(section, "maxConnections", defaults.maxConnections(), 1, 10_000_000));
    }

    private static Drain drain(Section section) {
        Drain defaults = Drain.defaults();
        return new Drain(duration(section, "grace", defaults.grace(), 0), duration(section, "timeout", defaults.timeout(), 0));
    }

    private static AccessLog accessLog(Section section, Source source) {
        AccessLog defaults = AccessLog.defaults();
        Field path = section.field("path");
        String format = section.field("format").choice(defaults.format(), "json");
        if (!path.present() || path.is("stdout")) {
            return new AccessLog("stdout", format);
        }
        if (path.is("off")) { // a YAML 1.1 boolean elsewhere, the word itself here
            return new AccessLog("off", format);
        }
        Path file = source.resolve(path);
        return new AccessLog(file == null ? "stdout" : file.toString(), format);
    }

    private static Compat compat(Section section) {
        return new Compat(section.field("headroomShortName").flag(false), section.field("legacyMetricNames").flag(false));
    }

    private static Duration duration(Section section, String key, Duration fallback, long least) {
        Field field = section.field(key);
        Long nanos = field.nanos(least, LONGEST_NANOS);
        return nanos == null ? fallback : Duration.ofNanos(nanos);
    }

    private static int count(Section section, String key, int fallback, int least, int most) {
        return (int) section.field(key).size(fallback, least, most);
    }
}
