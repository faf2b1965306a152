package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;

/** The chain's end on the client's side: hands the response to the exchange and counts what it says. */
final class ClientEdge extends RequestHandler {

    @Override
    void informational(RequestContext context, Http2Headers head) {
        context.client().informational(head);
    }

    @Override
    void headers(RequestContext context, Http2Headers head, boolean last) {
        context.status(Statuses.of(head));
        context.client().headers(head, last);
    }

    @Override
    void data(RequestContext context, ByteBuf data, boolean last) {
        context.countSent(data.readableBytes());
        context.client().data(data, last);
    }

    @Override
    void trailers(RequestContext context, Http2Headers trailers) {
        context.client().trailers(trailers);
    }

    @Override
    void reset(RequestContext context, ResetReason reason) {
        context.client().reset(reason);
    }
}
