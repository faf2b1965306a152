package io.penstock.proxy.handler;

import io.penstock.flow.FlowKey;
import io.penstock.flow.UsageSink;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestObserver;
import io.penstock.proxy.request.ResetReason;

/** The one way out of the chain: what a request holds is given back here, once, however it ended. One event loop each. */
final class Completion {

    private final Timers timers;
    private final RequestObserver observer;
    private final UsageSink usage;

    Completion(Timers timers, RequestObserver observer, UsageSink usage) {
        this.timers = timers;
        this.observer = observer;
        this.usage = usage;
    }

    /** Ends the request so that the client cannot take what it got for complete; the reset goes out before {@code from}. */
    void reset(RequestHandler from, RequestContext context, ResetReason reason, EndCause cause) {
        from.previous().reset(context, reason);
        end(context, Phase.RESET, cause);
    }

    /**
     * Ends the request. The response has been written by now, so the band's headroom was read before the lease is closed and the next
     * request dispatched. The first end counts: writing the last bytes may be what shows that the client has gone.
     */
    void end(RequestContext context, Phase phase, EndCause cause) {
        if (context.phase().over()) {
            return;
        }
        context.moveTo(phase);
        timers.remove(context);
        context.body().release();
        context.upstream(null);
        observer.ended(context, cause);
        FlowKey admitted = context.effective();
        if (admitted != null) {
            used(admitted);
        }
        context.closeLease();
    }

    /** An admitted request has ended: what it cost is not known as long as no answer is parsed. */
    void used(FlowKey admitted) {
        usage.finished(admitted, 0, 0);
    }
}
