package io.penstock.proxy.handler;

import io.penstock.proxy.config.ProxyConfig.Timeouts;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timers of an event loop's running requests: one pass over them every {@value #SCAN_MILLIS} ms instead of a scheduled task each. One
 * whose body is collected has one too; one that waits in flow control has none: its queue-wait budget is flow control's.
 */
final class Timers implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Timers.class);
    private static final long SCAN_MILLIS = 100;

    private final long responseHeaders;
    private final long streamIdle;
    private final long request;
    private final LongSupplier clock;
    private final List<RequestContext> running = new ArrayList<>();
    private @Nullable ForwardHandler receiver;
    private @Nullable ScheduledFuture<?> scan;

    Timers(Timeouts timeouts, LongSupplier nanoClock) {
        responseHeaders = limit(timeouts.responseHeaders());
        streamIdle = limit(timeouts.streamIdle());
        request = limit(timeouts.request());
        clock = nanoClock;
    }

    private static long limit(Duration timeout) {
        return timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos();
    }

    void start(ScheduledExecutorService loop, ForwardHandler handler) {
        receiver = handler;
        scan = loop.scheduleAtFixedRate(this, SCAN_MILLIS, SCAN_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        if (scan != null) {
            scan.cancel(false);
        }
    }

    long now() {
        return clock.getAsLong();
    }

    void add(RequestContext context) {
        if (context.timerSlot() < 0) {
            context.timerSlot(running.size());
            running.add(context);
        }
    }

    void remove(RequestContext context) {
        int slot = context.timerSlot();
        if (slot < 0) {
            return;
        }
        context.timerSlot(-1);
        RequestContext moved = running.remove(running.size() - 1);
        if (moved != context) {
            running.set(slot, moved);
            moved.timerSlot(slot);
        }
    }

    @Override
    public void run() {
        long now = clock.getAsLong();
        for (int i = running.size() - 1; i >= 0; i--) {
            // Ending one request removes it, and may remove others of the same connection.
            if (i < running.size()) {
                guarded(running.get(i), now);
            }
        }
    }

    /** One request's defect must not stop the clock of all others. */
    private void guarded(RequestContext context, long now) {
        try {
            check(context, now);
        } catch (RuntimeException e) {
            remove(context);
            LOG.error("The timer of request {} failed", context.requestId(), e);
        }
    }

    private void check(RequestContext context, long now) {
        RequestTimes times = context.times();
        ForwardHandler handler = receiver;
        if (handler == null) {
            return;
        }
        boolean collecting = context.phase() == Phase.RECEIVED;
        if (now - (collecting ? times.received() : times.dispatched()) > request) {
            handler.onTimeout(context, "request");
        } else if (collecting) {
            if (now - times.progress() > streamIdle) {
                handler.onTimeout(context, "streamIdle");
            }
        } else if (context.phase() == Phase.FORWARDING && context.body().complete() && !context.body().hasUnsent()) {
            if (now - times.sent() > responseHeaders) {
                handler.onTimeout(context, "responseHeaders");
            }
        } else if (context.phase() == Phase.FORWARDING || context.phase() == Phase.RESPONDING && context.client().writable()) {
            if (now - times.progress() > silence(context)) {
                handler.onTimeout(context, "streamIdle");
            }
        }
    }

    /** A model that thinks may send its head at once and its first token late: until then the longer of the two limits holds. */
    private long silence(RequestContext context) {
        boolean firstByteDue = context.phase() == Phase.RESPONDING && context.bytesSent() == 0;
        return firstByteDue ? Math.max(streamIdle, responseHeaders) : streamIdle;
    }
}
