package io.penstock.proxy;

import io.penstock.flow.FlowKey;
import io.penstock.flow.RejectReason;
import io.penstock.proxy.accesslog.AccessLog;
import io.penstock.proxy.accesslog.AccessRecord;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.metrics.ProxyMeters;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestObserver;
import io.penstock.proxy.request.RequestTimes;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Tells metrics and the access log of every request. Any event loop. */
final class RequestLog implements RequestObserver {

    /** A request that flow control held for longer than this waited; its time to dispatch is not the proxy's own. */
    private static final long WAITED = TimeUnit.MILLISECONDS.toNanos(1);

    private final ProxyMeters meters;
    private final AccessLog log;
    private final LongSupplier clock;

    RequestLog(ProxyMeters meters, AccessLog log, LongSupplier nanoClock) {
        this.meters = meters;
        this.log = log;
        this.clock = nanoClock;
    }

    @Override
    public void started(RequestContext context) {
        meters.requestStarted(context.client().protocol());
    }

    @Override
    public void dispatched(RequestContext context) {
        if (context.effective() != null && context.replays() == 0 && context.waitedNanos() < WAITED) {
            meters.ownTime(context.times().dispatched() - context.times().ready());
        }
    }

    @Override
    public void ended(RequestContext context, EndCause cause) {
        RequestTimes times = context.times();
        // The last byte of a whole response moved just now, and its time has been read.
        long now = cause == EndCause.NATURAL ? times.progress() : clock.getAsLong();
        long duration = now - times.received();
        long firstByte = times.responded() == 0 ? -1 : times.responded() - times.received();
        meters.requestEnded(context.client().protocol(), context.status(), cause, duration, firstByte);
        if (log.enabled()) {
            log.write(record(context, cause, duration, firstByte));
        }
    }

    private static AccessRecord record(RequestContext context, EndCause cause, long duration, long firstByte) {
        boolean asked = context.ticket() != null;
        FlowKey effective = context.effective();
        Endpoint endpoint = context.endpoint();
        RejectReason reason = context.dropReason();
        long start = System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(duration);
        return new AccessRecord(start, textOf(context.head().method()), textOf(context.head().path()), context.client().protocol(),
                context.status(), cause, context.body().received(), context.bytesSent(), duration, firstByte,
                queued(context, asked, duration), asked ? outcome(context) : null, context.retryAfterSeconds(), context.replays(),
                asked ? context.flowKey() : null, effective, endpoint == null ? null : endpoint.name(), context.requestId(),
                reason == null ? null : reason.headerValue(), context.client().peer());
    }

    private static long queued(RequestContext context, boolean asked, long duration) {
        if (!asked || context.effective() == null && context.endpoint() != null) {
            return -1;
        }
        return context.effective() == null ? duration : context.waitedNanos();
    }

    /** What flow control said of it first; the drop reason and the time in the queue say the rest. */
    private static String outcome(RequestContext context) {
        if (context.effective() != null) {
            return "dispatched";
        }
        if (context.dropReason() != null) {
            return "refused";
        }
        return context.endpoint() == null ? "cancelled" : "passed";
    }

    private static CharSequence textOf(@Nullable CharSequence value) {
        return value == null ? "" : value;
    }
}
