package io.penstock.proxy.endpoint;

/**
 * Where scrapers tell what happened, for metrics (spec/routing section 3.1). Called on the scraper's event loop: implementations are quick
 * and do not throw.
 */
public interface ScrapeEvents {

    /** Tells nobody. */
    ScrapeEvents NONE = new ScrapeEvents() {
    };

    /** A page could not be had: no connection, no answer in time, another status than 200, too large, broken. The old sample stays. */
    default void pollFailed(Endpoint endpoint, String reason) {
    }

    /** A page was had and this family was not in it, or unreadable. */
    default void extractFailed(Endpoint endpoint, String family) {
    }

    /** A sample was published; the scrape took this long. */
    default void sampled(Endpoint endpoint, long nanos) {
    }
}
