package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.DownstreamListener;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamConnector;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The way of a request: one chain per event loop, built in one method, in reading order. {@code docs/request-life.md} tells it on a page.
 * Used on its event loop only.
 */
public final class RequestChain implements DownstreamListener, AutoCloseable {

    private final RequestHandler first;
    private final AdmissionHandler admission;
    private final Timers timers;

    private RequestChain(RequestHandler first, AdmissionHandler admission, Timers timers) {
        this.first = first;
        this.admission = admission;
        this.timers = timers;
    }

    /**
     * Builds an event loop's chain.
     *
     * @param services what every loop shares
     * @param connector the loop's own way to the backends
     * @param loop the loop, for its timers
     */
    public static RequestChain build(ChainServices services, UpstreamConnector connector, ScheduledExecutorService loop) {
        Timers timers = new Timers(services.timeouts(), services.nanoClock());
        Completion completion = new Completion(timers, services.observer(), services.usage());
        LocalReplies replies = new LocalReplies(completion);

        AdmissionHandler admission = new AdmissionHandler(services, replies, completion);
        ForwardHandler forward = new ForwardHandler(services, connector, admission, timers, replies, completion);

        ClientEdge client = new ClientEdge();
        client.then(new HeadroomHandler(services.capacity(), services.headroomShortName(), services.onCapacityFailure()))
                .then(new RequestHeadHandler(services.flows(), services.nanoClock(), services.observer(), replies))
                .then(new RequestBodyHandler(services.maxRequestBodyBytes(), services.collection(), timers, replies, completion))
                .then(admission)
                .then(forward);

        timers.start(loop, forward);
        return new RequestChain(client, admission, timers);
    }

    /** The handler next to the client. */
    RequestHandler first() {
        return first;
    }

    @Override
    public void onRequest(RequestContext context, boolean last) {
        first.onRequest(context, last);
    }

    @Override
    public void onData(RequestContext context, ByteBuf data, boolean last) {
        first.onData(context, data, last);
    }

    @Override
    public void onTrailers(RequestContext context, Http2Headers trailers) {
        // Backends get no request trailers, whatever their protocol; they end the body and go no further (docs/headers.md).
        first.onEnd(context);
    }

    @Override
    public void onWritable(RequestContext context) {
        first.onWritable(context);
    }

    @Override
    public void onClosed(RequestContext context, ClientGone cause) {
        first.onClosed(context, cause);
    }

    @Override
    public boolean onShutdown(RequestContext context) {
        return admission.stop(context);
    }

    /** Stops the loop's timer. */
    @Override
    public void close() {
        timers.stop();
    }
}
