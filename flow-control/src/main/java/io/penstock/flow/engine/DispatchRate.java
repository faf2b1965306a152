package io.penstock.flow.engine;

import java.util.concurrent.TimeUnit;

/**
 * How often one scope, a band or all of them, dispatches: an average that forgets over some seconds, folded once a second, which a busier
 * present second raises at once (spec/flow-control section 14). The drainer writes; {@link #retryAfterSeconds} is for any thread.
 */
final class DispatchRate {

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
    /** What is left of the past after one second: half of it after about four. */
    private static final double KEPT = 0.85;
    /** A client is never told to wait longer. */
    private static final int LONGEST_SECONDS = 30;

    private long sinceNanos;
    private long count;
    private double average;
    private volatile double perSecond;

    DispatchRate(long now) {
        sinceNanos = now;
    }

    void dispatched() {
        count++;
    }

    /** Called on each tick. */
    void publish(long now) {
        double elapsed = (now - sinceNanos) / SECOND;
        if (elapsed >= 1) {
            double rate = count / elapsed;
            // The first rate that is measured is not averaged with the nothing before it.
            average = average == 0 ? rate : rate + (average - rate) * Math.pow(KEPT, elapsed);
            sinceNanos = now;
            count = 0;
        }
        perSecond = Math.max(average, count);
    }

    /** When the next place is expected, in whole seconds from 1 to 30; 0 when that is less than a second, or was never measured. */
    int retryAfterSeconds() {
        double rate = perSecond;
        if (rate == 0 || rate > 1) {
            return 0;
        }
        return (int) Math.min(LONGEST_SECONDS, Math.ceil(1 / rate));
    }
}
