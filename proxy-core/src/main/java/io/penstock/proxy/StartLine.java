package io.penstock.proxy;

import io.netty.handler.ssl.OpenSsl;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.config.GoDuration;
import io.penstock.proxy.config.MetricsSettings;
import io.penstock.proxy.config.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the process says of itself at its start: versions, ports, the limits that really hold. */
final class StartLine {

    private static final Logger LOG = LoggerFactory.getLogger(StartLine.class);

    private StartLine() {
    }

    static void log(Proxy proxy, Settings settings, ProxyOptions options, long begunNanos) {
        if (!"script".equals(System.getProperty("penstock.launcher"))) {
            LOG.info("Started without the penstock script: collector and heap are the JVM's defaults");
        }
        Map<String, Object> addresses = new TreeMap<>();
        proxy.addresses().forEach((name, address) -> addresses.put(name, shown(address)));
        LOG.info("Penstock {}, Java {}, {}, {} event loops, {}: listening on {}, admin on {}, metrics on {}; {} endpoints; {} ms",
                ProxyMain.version(), Runtime.version(), options.transport().label(), options.loops(),
                tls(settings), addresses, shown(proxy.adminAddress()), shown(proxy.metricsAddress()),
                proxy.endpoints().size(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos));
        archive();
        if (proxy.endpoints().isEmpty()) {
            LOG.warn("No endpoints: every request is refused until there are some (ProxyConfig.endpoints, or file-discovery)");
        }
        if (settings.picker().flowControlEnabled()) {
            limits(settings.picker().flowControl());
        } else {
            LOG.info("Flow control is off: no queues, no headroom header (featureGates: [flowControl] switches it on)");
        }
        for (BandView band : proxy.bands()) {
            LOG.info("Band {}: maxRequests {}, maxBytes {}", band.priority(), limit(band.maxRequests()), limit(band.maxBytes()));
        }
    }

    /** A JVM that cannot use a class archive goes on without a word. Where it can, the archive is mapped; Linux tells. */
    private static void archive() {
        String archive = System.getProperty("penstock.archive");
        if (archive == null) {
            return;
        }
        try {
            // Named by its checksum, so that the name alone will do, whatever links lead to it.
            String mapped = Files.readString(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
            if (!mapped.contains(String.valueOf(Path.of(archive).getFileName()))) {
                LOG.warn("The class archive {} is not used by this JVM: the start takes longer (expected: made for it; delete the file and"
                        + " the next start makes it again)", archive);
            }
        } catch (IOException e) {
            LOG.debug("no memory map to see whether the class archive is in use: {}", e.getMessage());
        }
    }

    /** Asks for the library only where it is in use: loading it takes a fifth of the start. */
    private static String tls(Settings settings) {
        MetricsSettings scraped = settings.picker().metrics();
        boolean used = scraped != null && scraped.tls() != null
                || settings.proxy().listeners().stream().anyMatch(listener -> listener.tls() != null);
        if (!used) {
            return "no TLS";
        }
        return OpenSsl.isAvailable() ? "TLS by BoringSSL" : "TLS by the JDK";
    }

    /** What holds over all bands, defaults filled in. */
    private static void limits(FlowControlConfig config) {
        LOG.info("All bands: maxRequests {}, maxBytes {}, defaultRequestTTL {}, noEndpointRequestTTL {}, eviction {}",
                limit(config.maxRequests()), limit(config.maxBytes()), GoDuration.format(config.requestTtlNanos()),
                GoDuration.format(config.noEndpointTtlNanos()),
                config.evicts() ? "on, paced by " + GoDuration.format(config.evictionGraceNanos()) : "off");
    }

    private static String shown(InetSocketAddress address) {
        String host = address.getAddress().isAnyLocalAddress() ? "*" : address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + address.getPort();
    }

    private static String limit(long value) {
        return value == CapacitySnapshot.UNBOUNDED ? "unbounded" : Long.toString(value);
    }
}
