package io.penstock.proxy.net;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * At most one warning a second, however many clients misbehave; the next line says how many were left out. Safe for any thread.
 */
public final class RateLimitedLog {

    private static final long INTERVAL_NANOS = 1_000_000_000L;

    private final Logger logger;
    private final LongSupplier clock;
    private final AtomicLong next;
    private final AtomicLong omitted = new AtomicLong();

    /**
     * @param logger where the lines go
     * @param clock nanoseconds
     */
    public RateLimitedLog(Logger logger, LongSupplier clock) {
        this.logger = logger;
        this.clock = clock;
        next = new AtomicLong(clock.getAsLong());
    }

    /** Logs the message or counts it as left out; true when it was logged. */
    public boolean warn(String message) {
        long due = next.get();
        long now = clock.getAsLong();
        if (now - due < 0 || !next.compareAndSet(due, now + INTERVAL_NANOS)) {
            omitted.incrementAndGet();
            return false;
        }
        long before = omitted.getAndSet(0);
        if (before == 0) {
            logger.warn("{}", printable(message));
        } else {
            logger.warn("{} ({} more like this in the meantime)", printable(message), before);
        }
        return true;
    }

    /** A client's bytes may be in the message: they get no line of their own. */
    private static String printable(String message) {
        StringBuilder text = new StringBuilder(message.length());
        for (int i = 0; i < message.length(); i++) {
            char c = message.charAt(i);
            text.append(c < ' ' || c > '~' ? '?' : c);
        }
        return text.toString();
    }
}
