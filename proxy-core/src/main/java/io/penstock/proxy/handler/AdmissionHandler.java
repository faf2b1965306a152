package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Ticket;
import io.penstock.proxy.admitter.AdmitterSet;
import io.penstock.proxy.admitter.Denial;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.AdmissionOutcome;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.HeaderNames;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestObserver;
import io.penstock.proxy.request.ResetReason;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds a request until flow control says that it may run. While it waits, what the client sends of its body stays here without credit for
 * more, so that one waiting upload costs at most a stream's first window.
 */
final class AdmissionHandler extends RequestHandler implements AdmissionOutcome {

    private final FlowController flow;
    private final Function<AdmissionRequest, @Nullable Endpoint> bypass;
    private final AdmitterSet admitters;
    private final LongSupplier clock;
    private final RequestObserver observer;
    private final LocalReplies replies;
    private final Completion completion;
    private @Nullable OwnOutcomes outcomes;

    AdmissionHandler(ChainServices services, LocalReplies replies, Completion completion) {
        this.flow = services.flow();
        this.bypass = services.bypass();
        this.admitters = services.admitters();
        this.clock = services.nanoClock();
        this.observer = services.observer();
        this.replies = replies;
        this.completion = completion;
    }

    @Override
    void onRequest(RequestContext context, boolean bodiless) {
        if (bodiless) {
            pass(context);
        } else {
            enqueue(context);
        }
    }

    /**
     * The endpoint failed before it did any work: the request goes to another one, through the same gate. It is in line again before its
     * place is given back; the other way round the place goes to whoever waits behind it.
     */
    void again(RequestContext context) {
        Lease held = context.takeLease();
        try {
            if (context.ticket() == null) {
                pass(context);
            } else {
                enqueue(context);
            }
        } finally {
            if (held != null) {
                held.close();
            }
        }
    }

    private void enqueue(RequestContext context) {
        context.moveTo(Phase.QUEUED);
        context.awaiting(this);
        Ticket earlier = context.ticket();
        OwnOutcomes own = outcomes(context.client().executor());
        // An answer of the proxy's own waits for a task, when more of the request has been read: a client keeps its connection by that.
        own.submitting(admitters.isEmpty());
        try {
            context.ticket(earlier == null ? flow.submit(context, context, own) : flow.resubmit(earlier, context, context, own));
        } finally {
            own.submitted();
        }
    }

    /** A chain has one loop, which it gets to know from its first request. */
    private OwnOutcomes outcomes(Executor loop) {
        OwnOutcomes known = outcomes;
        if (known == null || !known.of(loop)) {
            known = new OwnOutcomes(loop);
            outcomes = known;
        }
        return known;
    }

    /** A request without a body takes no place in a band and no detector counts it (contract section 4). */
    private void pass(RequestContext context) {
        Endpoint endpoint = bypass.apply(context);
        if (endpoint == null) {
            replies.refuse(this, context, RejectReason.NO_ENDPOINTS);
            return;
        }
        context.assign(endpoint, null);
        go(context);
    }

    @Override
    public void dispatched(RequestContext context, FlowKey effective, Lease lease, long waitedNanos) {
        if (context.phase() != Phase.QUEUED) {
            // The client's cancel came second: the endpoint is charged for nobody.
            if (context.effective() == null) {
                completion.used(effective);
            }
            lease.close();
            return;
        }
        context.admitted(effective, waitedNanos);
        route(context, lease);
        enter(context);
    }

    @Override
    public void passed(RequestContext context, Lease lease) {
        if (context.phase() != Phase.QUEUED) {
            lease.close();
            return;
        }
        route(context, lease);
        enter(context);
    }

    /** A replay is placed anew, with another prefill server or none. */
    private static void route(RequestContext context, Lease lease) {
        context.assign((Endpoint) lease.endpoint(), lease);
        if (lease.prefill() instanceof Endpoint prefill) {
            context.head().set(HeaderNames.PREFILLER, prefill.authority());
        } else if (context.replays() > 0) {
            context.head().remove(HeaderNames.PREFILLER);
        }
    }

    @Override
    public void refused(RequestContext context, RejectReason reason) {
        if (context.phase() == Phase.QUEUED) {
            replies.refuse(this, context, reason);
        }
    }

    /**
     * Stops a running request. One that waits again, since its endpoint failed it in the meantime, has given its place back by that: what
     * waits is not evicted (spec/flow-control section 9). One that has been answered is over, or will be before this frame ends.
     */
    @Override
    public void evicted(RequestContext context) {
        switch (context.phase()) {
            case CONNECTING, FORWARDING -> orEnd(context, () -> {
                next().withdraw(context);
                replies.refuse(this, context, RejectReason.EVICTED);
            });
            case RESPONDING -> orEnd(context, () -> {
                next().withdraw(context);
                completion.reset(this, context, ResetReason.EVICTED, EndCause.EVICTED);
            });
            default -> {
            }
        }
    }

    /** There is no more time: a request whose response has not begun is answered, any other reset. True when it was answered. */
    boolean stop(RequestContext context) {
        if (context.phase().over()) {
            return false;
        }
        boolean waits = context.phase() == Phase.QUEUED;
        boolean answer = context.phase().beforeResponse();
        orEnd(context, () -> {
            withdraw(context);
            if (waits) {
                replies.refuse(this, context, RejectReason.SHUTTING_DOWN);
            } else if (answer) {
                replies.stopped(this, context);
            } else {
                completion.reset(this, context, ResetReason.SHUTDOWN, EndCause.SHUTDOWN);
            }
        });
        return answer;
    }

    private void enter(RequestContext context) {
        try {
            Denial denial = context.replays() == 0 ? admitters.deny(context) : null;
            if (denial == null) {
                go(context);
            } else {
                replies.send(this, context, denial.status(), denial.message(), EndCause.REFUSED);
            }
        } catch (RuntimeException | Error broken) {
            broken(context);
            throw broken;
        }
    }

    private void orEnd(RequestContext context, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error broken) {
            broken(context);
            throw broken;
        }
    }

    /** Nobody above this frame knows the request: the caller only closes the lease (OutOfDirectMemoryError is the likely one). */
    private void broken(RequestContext context) {
        if (!context.phase().over()) {
            next().withdraw(context);
            completion.reset(this, context, ResetReason.UPSTREAM_FAILED, EndCause.INTERNAL);
        }
    }

    private void go(RequestContext context) {
        context.times().dispatched(clock.getAsLong());
        observer.dispatched(context);
        if (context.replays() == 0) {
            context.client().expandWindow();
            Expectations.answer(this, context);
            if (context.phase().over()) {
                // Writing to the client is what showed that it has gone.
                return;
            }
        }
        next().onRequest(context, context.body().complete());
    }

    @Override
    void onData(RequestContext context, ByteBuf data, boolean last) {
        if (context.phase().over()) {
            data.release();
            return;
        }
        if (context.phase() == Phase.QUEUED) {
            context.body().addCopy(data, last);
        } else {
            context.body().add(data, last);
            next().onEnd(context);
        }
    }

    @Override
    void onEnd(RequestContext context) {
        context.body().end();
        if (context.phase() != Phase.QUEUED && !context.phase().over()) {
            next().onEnd(context);
        }
    }

    @Override
    void withdraw(RequestContext context) {
        if (context.phase() == Phase.QUEUED) {
            cancel(context);
        } else {
            next().withdraw(context);
        }
    }

    @Override
    void onClosed(RequestContext context, ClientGone cause) {
        if (context.phase() == Phase.QUEUED) {
            cancel(context);
            completion.end(context, Phase.CANCELLED, EndCause.of(cause));
        } else {
            next().onClosed(context, cause);
        }
    }

    private static void cancel(RequestContext context) {
        Ticket ticket = context.ticket();
        if (ticket != null) {
            // False means that the outcome is on its way here; it finds the request over and closes its lease.
            ticket.cancel();
        }
    }
}
