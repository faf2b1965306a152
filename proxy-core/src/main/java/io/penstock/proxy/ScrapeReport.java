package io.penstock.proxy;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.ScrapeEvents;
import io.penstock.proxy.metrics.PoolMeters;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Counts scrapes that failed, and says so once when an endpoint's metrics go missing and once when they are back, at most one such pair a
 * minute for each endpoint. The scraper's event loop only.
 */
final class ScrapeReport implements ScrapeEvents {

    private static final String SOURCE = "metrics-data-source";
    private static final String EXTRACTOR = "core-metrics-extractor";
    /** In a row, before metrics are said to be missing: one alone is a start, a stop or a busy moment. */
    private static final int MISSES = 3;
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final PoolMeters meters;
    private final LongSupplier clock;
    private final Logger log;
    private final Map<Endpoint, State> states = new WeakHashMap<>();

    /** @param clock monotonic nanoseconds */
    ScrapeReport(PoolMeters meters, LongSupplier clock, Logger log) {
        this.meters = meters;
        this.clock = clock;
        this.log = log;
    }

    @Override
    public void pollFailed(Endpoint endpoint, String reason) {
        meters.pollError(SOURCE);
        missed(endpoint, "cannot be read: ", reason);
    }

    @Override
    public void extractFailed(Endpoint endpoint, String family) {
        meters.extractError(SOURCE, EXTRACTOR);
        missed(endpoint, "lack, or hold no readable, ", family);
    }

    private void missed(Endpoint endpoint, String what, String which) {
        State state = states.computeIfAbsent(endpoint, unknown -> new State());
        if (++state.misses < MISSES || state.told) {
            return;
        }
        long now = clock.getAsLong();
        if (state.everTold && now - state.toldAt < QUIET_NANOS) {
            state.omitted++;
            state.misses = 0;
            return;
        }
        String before = state.omitted == 0 ? "" : " (as " + state.omitted + " times in the last minute)";
        log.warn("{}: its metrics {}{}{}", endpoint, what, printable(which), before);
        state.told = true;
        state.everTold = true;
        state.toldAt = now;
        state.omitted = 0;
    }

    @Override
    public void sampled(Endpoint endpoint, long nanos) {
        State state = states.get(endpoint);
        if (state == null) {
            return;
        }
        state.misses = 0;
        if (state.told) {
            state.told = false;
            log.info("{}: its metrics are read again", endpoint);
        }
    }

    /** A certificate's words, or a page's, may be in it: they get no line of their own. */
    private static String printable(String text) {
        return text.codePoints().limit(300).map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    private static final class State {
        private int misses;
        private boolean told;
        private boolean everTold;
        private long toldAt;
        private int omitted;
    }
}
