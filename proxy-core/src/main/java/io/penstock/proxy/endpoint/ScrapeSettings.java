package io.penstock.proxy.endpoint;

import java.time.Duration;

/**
 * How endpoints are scraped.
 *
 * @param interval from one scrape's start to the next, {@link #MIN_INTERVAL} or more; a shorter one is lengthened (spec/routing 3.1)
 * @param timeout after which a scrape has failed
 * @param maxBytes of a page's body; a longer one has failed
 */
public record ScrapeSettings(Duration interval, Duration timeout, int maxBytes) {

    /** The shortest interval. */
    public static final Duration MIN_INTERVAL = Duration.ofMillis(50);
    /** An engine's page is about 100 KB; many adapters make it a few times that. */
    public static final int DEFAULT_MAX_BYTES = 2 << 20;

    public ScrapeSettings {
        if (interval.compareTo(MIN_INTERVAL) < 0) {
            interval = MIN_INTERVAL;
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: more than 0s)");
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: 1 or more)");
        }
    }

    /** A scrape each interval, 1 s and 2 MiB at most. */
    public static ScrapeSettings every(Duration interval) {
        return new ScrapeSettings(interval, Duration.ofSeconds(1), DEFAULT_MAX_BYTES);
    }
}
