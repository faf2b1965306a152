package io.penstock.proxy.endpoint;

import io.penstock.proxy.config.MetricsSettings;
import java.time.Duration;

/**
 * How endpoints are scraped.
 *
 * @param metrics where the page is and what to read of it; its interval is {@link #MIN_INTERVAL} or more, a shorter one is lengthened
 *         (spec/routing 3.1)
 * @param timeout after which a scrape has failed, from its start to the page's last byte
 * @param maxBytes of a page's body; a longer one has failed
 */
public record ScrapeSettings(MetricsSettings metrics, Duration timeout, int maxBytes) {

    /** The shortest interval. */
    public static final Duration MIN_INTERVAL = MetricsSettings.DEFAULT_INTERVAL;
    /** As llm-d's limit of one poll. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(1);
    /** An engine's page is about 100 KB; many adapters make it a few times that. */
    public static final int DEFAULT_MAX_BYTES = 2 << 20;

    public ScrapeSettings {
        if (metrics.interval().compareTo(MIN_INTERVAL) < 0) {
            metrics = new MetricsSettings(MIN_INTERVAL, metrics.path(), metrics.port(), metrics.tls(), metrics.engines());
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: more than 0s)");
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: 1 or more)");
        }
    }

    /** The configured metrics, 1 s and 2 MiB at most. */
    public static ScrapeSettings of(MetricsSettings metrics) {
        return new ScrapeSettings(metrics, DEFAULT_TIMEOUT, DEFAULT_MAX_BYTES);
    }

    /** A scrape of the built-in engines each interval, 1 s and 2 MiB at most. */
    public static ScrapeSettings every(Duration interval) {
        return of(MetricsSettings.every(interval));
    }

    Duration interval() {
        return metrics.interval();
    }
}
