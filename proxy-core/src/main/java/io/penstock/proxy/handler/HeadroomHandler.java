package io.penstock.proxy.handler;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.RejectReason;
import io.penstock.proxy.request.HeaderNames;
import io.penstock.proxy.request.RequestContext;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The last word on every response: takes the proxy's own names out of whatever a backend sent, and sets them from the counters as they are
 * at this moment (seed 1, contract section 3). A failure to read a counter costs the header, never the response.
 */
final class HeadroomHandler extends RequestHandler {

    private final @Nullable CapacityReader capacity;
    private final boolean shortName;
    private final Consumer<Throwable> onReadFailure;

    /**
     * @param capacity the controller's own counts, null with flow control off
     * @param shortName whether the headroom also goes out under its short name
     * @param onReadFailure hears of a reader that threw
     */
    HeadroomHandler(@Nullable CapacityReader capacity, boolean shortName, Consumer<Throwable> onReadFailure) {
        this.capacity = capacity;
        this.shortName = shortName;
        this.onReadFailure = onReadFailure;
    }

    @Override
    void informational(RequestContext context, Http2Headers head) {
        removeOwned(head);
        previous().informational(context, head);
    }

    @Override
    void headers(RequestContext context, Http2Headers head, boolean last) {
        removeOwned(head);
        if (!context.requestId().isEmpty()) {
            head.set(HeaderNames.REQUEST_ID, context.requestId());
        }
        RejectReason reason = context.dropReason();
        if (reason != null && reason.headerValue() != null) {
            head.set(HeaderNames.DROPPED_REASON, reason.headerValue());
            if (reason == RejectReason.SATURATED && context.retryAfterSeconds() > 0) {
                head.set(HeaderNames.RETRY_AFTER, Decimals.of(context.retryAfterSeconds()));
            }
        }
        FlowKey effective = context.effective();
        if (effective != null) {
            head.set(HeaderNames.QUEUE_DURATION, Decimals.of(TimeUnit.NANOSECONDS.toMillis(context.waitedNanos())));
            setHeadroom(head, effective.priority());
        }
        previous().headers(context, head, last);
    }

    @Override
    void trailers(RequestContext context, Http2Headers trailers) {
        removeOwned(trailers);
        previous().trailers(context, trailers);
    }

    private void setHeadroom(Http2Headers head, int priority) {
        CapacitySnapshot now = read(priority);
        if (now == null || !now.bounded()) {
            return;
        }
        AsciiString value = Decimals.of(now.headroomRequests());
        head.set(HeaderNames.HEADROOM, value);
        if (shortName) {
            head.set(HeaderNames.HEADROOM_SHORT, value);
        }
    }

    private @Nullable CapacitySnapshot read(int priority) {
        if (capacity == null) {
            return null;
        }
        try {
            return capacity.capacitySnapshot(priority);
        } catch (RuntimeException e) {
            onReadFailure.accept(e);
            return null;
        }
    }

    private static void removeOwned(Http2Headers head) {
        List<AsciiString> owned = HeaderNames.OWNED;
        for (int i = 0; i < owned.size(); i++) {
            head.remove(owned.get(i));
        }
        // Set again on the final head, and nowhere else.
        head.remove(HeaderNames.REQUEST_ID);
    }
}
