package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.HeadTooLargeException;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestBody;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import io.penstock.proxy.request.UpstreamConnector;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamListener;

/**
 * Sends the request to its endpoint and the response back, each no faster than the other side takes it. A connection that dies before any
 * work was done costs a replay; one that dies later costs the request.
 */
final class ForwardHandler extends RequestHandler implements UpstreamListener {

    private final UpstreamConnector connector;
    private final ForwardEvents events;
    private final Timers timers;
    private final LocalReplies replies;
    private final Completion completion;
    private final AdmissionHandler admission;

    ForwardHandler(ChainServices services, UpstreamConnector connector, AdmissionHandler admission, Timers timers, LocalReplies replies,
            Completion completion) {
        this.connector = connector;
        this.events = services.forwardEvents();
        this.timers = timers;
        this.replies = replies;
        this.completion = completion;
        this.admission = admission;
    }

    @Override
    void onRequest(RequestContext context, boolean last) {
        context.moveTo(Phase.CONNECTING);
        timers.add(context);
        open(context);
    }

    private void open(RequestContext context) {
        Endpoint endpoint = endpointOf(context);
        // The listener may be called before open() returns; then the request has moved on and the exchange is stored already.
        UpstreamExchange exchange = connector.open(endpoint, context, this);
        if (context.phase() == Phase.CONNECTING && context.upstream() == null) {
            context.upstream(exchange);
        }
    }

    private static Endpoint endpointOf(RequestContext context) {
        Endpoint endpoint = context.endpoint();
        if (endpoint == null) {
            throw new IllegalStateException(context.requestId() + ": forwarded without an endpoint");
        }
        return endpoint;
    }

    // The request.

    @Override
    public void onConnected(RequestContext context, UpstreamExchange exchange) {
        context.upstream(exchange);
        context.moveTo(Phase.FORWARDING);
        RequestBody body = context.body();
        try {
            exchange.headers(context.head(), body.complete() && !body.hasUnsent());
            if (body.hasUnsent()) {
                sendBody(context, exchange);
            } else {
                requestMoved(context);
            }
        } catch (HeadTooLargeException e) {
            notForThisBackend(context, 431, e);
        } catch (IllegalArgumentException e) {
            notForThisBackend(context, 400, e);
        }
    }

    /** The client's head or body cannot be carried by the backend's protocol; the exchange is over and nothing harmful was sent. */
    private void notForThisBackend(RequestContext context, int status, IllegalArgumentException why) {
        context.upstream(null);
        if (context.phase().beforeResponse()) {
            replies.send(this, context, status, String.valueOf(why.getMessage()), EndCause.CLIENT_PROTOCOL);
        } else {
            completion.reset(this, context, ResetReason.CLIENT_PROTOCOL, EndCause.CLIENT_PROTOCOL);
        }
    }

    /** More of the body came in, or its end. */
    @Override
    void onEnd(RequestContext context) {
        UpstreamExchange exchange = context.upstream();
        if (exchange != null && (context.phase() == Phase.FORWARDING || context.phase() == Phase.RESPONDING)) {
            try {
                sendBody(context, exchange);
            } catch (IllegalArgumentException e) {
                notForThisBackend(context, 400, e);
            }
        }
    }

    private void sendBody(RequestContext context, UpstreamExchange exchange) {
        RequestBody body = context.body();
        BodySender sender = new BodySender(exchange);
        body.drainTo(sender);
        sender.finish(body.complete());
        context.oweCredit(body.sent(sender.bytes()));
        requestMoved(context);
        returnCredit(context, exchange);
    }

    /** Bytes of the request went out; the last of them starts the wait for the response head. */
    private void requestMoved(RequestContext context) {
        if (context.body().complete()) {
            context.times().sent(timers.now());
        } else {
            progress(context);
        }
    }

    private void returnCredit(RequestContext context, UpstreamExchange exchange) {
        if (!exchange.writable()) {
            return;
        }
        context.body().taken();
        int owed = context.takeOwedCredit();
        if (owed > 0) {
            context.client().consumed(owed);
        }
    }

    @Override
    public void onUpstreamWritable(RequestContext context) {
        UpstreamExchange exchange = context.upstream();
        if (exchange != null) {
            progress(context);
            returnCredit(context, exchange);
        }
    }

    // The response.

    @Override
    public void onInformational(RequestContext context, Http2Headers head) {
        progress(context);
        previous().informational(context, head);
    }

    @Override
    public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
        endpointOf(context).succeeded();
        context.times().responded(timers.now());
        context.moveTo(Phase.RESPONDING);
        context.body().noReplay();
        previous().headers(context, head, last);
        if (last) {
            completion.end(context, Phase.DONE, EndCause.NATURAL);
        } else {
            context.body().taken();
            adjustReading(context);
        }
    }

    @Override
    public void onData(RequestContext context, ByteBuf data, boolean last) {
        progress(context);
        boolean first = context.bytesSent() == 0 && data.isReadable();
        previous().data(context, data, last);
        if (first && !last) {
            context.responseBegun();
        }
        if (last) {
            completion.end(context, Phase.DONE, EndCause.NATURAL);
        } else {
            adjustReading(context);
        }
    }

    @Override
    public void onTrailers(RequestContext context, Http2Headers trailers) {
        progress(context);
        previous().trailers(context, trailers);
        completion.end(context, Phase.DONE, EndCause.NATURAL);
    }

    /** A slow client stops the read from the backend. */
    private void adjustReading(RequestContext context) {
        UpstreamExchange exchange = context.upstream();
        if (exchange != null && !context.client().writable()) {
            exchange.readable(false);
        }
    }

    @Override
    void onWritable(RequestContext context) {
        UpstreamExchange exchange = context.upstream();
        if (exchange != null && context.phase() == Phase.RESPONDING) {
            progress(context);
            exchange.readable(true);
        }
    }

    // The ends that nobody wanted.

    @Override
    public void onFailed(RequestContext context, UpstreamFault fault) {
        Endpoint endpoint = endpointOf(context);
        context.upstream(null);
        events.failed(endpoint, fault);
        if (Replays.blamesEndpoint(fault)) {
            endpoint.failed();
        }
        if (context.phase() == Phase.RESPONDING) {
            completion.reset(this, context, ResetReason.UPSTREAM_FAILED, EndCause.UPSTREAM_ERROR);
            return;
        }
        if (Replays.allows(context, endpoint, fault, timers.now())) {
            replay(context, endpoint, fault);
            return;
        }
        boolean malformed = fault.kind() == UpstreamFault.Kind.MALFORMED;
        replies.send(this, context, malformed ? 502 : 503,
                malformed ? "The model server's answer was malformed" : "The model server could not be reached", EndCause.UPSTREAM_ERROR);
    }

    private void replay(RequestContext context, Endpoint endpoint, UpstreamFault fault) {
        events.replayed(endpoint);
        context.countReplay();
        context.body().rewind();
        if (Replays.sameEndpoint(fault)) {
            context.moveTo(Phase.CONNECTING);
            open(context);
            return;
        }
        timers.remove(context);
        context.exclude(endpoint);
        admission.again(context);
    }

    /** A timer ended the request; its name goes into metrics and the log. */
    void onTimeout(RequestContext context, String timer) {
        events.timedOut(context, timer);
        UpstreamExchange exchange = context.upstream();
        boolean stopped = "streamIdle".equals(timer) && exchange != null && exchange.writable() && !context.body().complete();
        boolean clientStalled = stopped || context.phase() == Phase.RECEIVED;
        abort(context);
        if (context.phase().beforeResponse()) {
            replies.send(this, context, clientStalled ? 408 : 504, clientStalled ? "The request body did not arrive in time"
                    : "The model server did not answer in time (" + timer + ")", EndCause.TIMEOUT);
        } else {
            completion.reset(this, context, ResetReason.TIMED_OUT, EndCause.TIMEOUT);
        }
    }

    @Override
    void withdraw(RequestContext context) {
        abort(context);
    }

    @Override
    void onClosed(RequestContext context, ClientGone cause) {
        if (!context.phase().over()) {
            abort(context);
            completion.end(context, Phase.CANCELLED, EndCause.of(cause));
        }
    }

    private static void abort(RequestContext context) {
        UpstreamExchange exchange = context.upstream();
        if (exchange != null) {
            context.upstream(null);
            exchange.abort();
        }
    }

    private void progress(RequestContext context) {
        context.times().progress(timers.now());
    }
}
