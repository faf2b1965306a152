package io.penstock.proxy.admin;

import io.penstock.proxy.endpoint.EngineInfo;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint as {@code GET /endpoints} and the pool's metrics show it. The values of the last scrape are null together when there has
 * been none. Immutable.
 *
 * @param name {@code namespace/name}
 * @param address {@code host:port}
 * @param labels as on a Kubernetes pod
 * @param role value of the role label, or null
 * @param inFlightRequests requests whose lease is open
 * @param inFlightTokens tokens charged by open leases
 * @param lastScrapeAgeMs age of the newest scrape in milliseconds, 0 or more
 * @param waiting requests in the engine's own queue
 * @param running requests that the engine runs; null also where the engine does not say
 * @param kvCacheUsage fraction of the KV cache in use, 0 to 1
 * @param health one word, such as {@code healthy} or {@code ejected}
 * @param engine what the engine's page said besides load, or null when there was none
 */
public record EndpointRow(String name, String address, Map<String, String> labels, @Nullable String role, int inFlightRequests,
        long inFlightTokens, @Nullable Long lastScrapeAgeMs, @Nullable Integer waiting, @Nullable Integer running,
        @Nullable Double kvCacheUsage, String health, @Nullable EngineInfo engine) {

    public EndpointRow {
        labels = Map.copyOf(labels);
    }

    /** One of whose engine nothing more is known. */
    public EndpointRow(String name, String address, Map<String, String> labels, @Nullable String role, int inFlightRequests,
            long inFlightTokens, @Nullable Long lastScrapeAgeMs, @Nullable Integer waiting, @Nullable Integer running,
            @Nullable Double kvCacheUsage, String health) {
        this(name, address, labels, role, inFlightRequests, inFlightTokens, lastScrapeAgeMs, waiting, running, kvCacheUsage, health, null);
    }
}
