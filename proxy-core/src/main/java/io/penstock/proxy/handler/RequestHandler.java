package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;

/**
 * One step of the chain. Request events go to the next handler, response events to the previous one, unless a handler overrides the method;
 * a request's own state is in its context, so one handler serves every request of its event loop. Buffers move with the call.
 */
abstract class RequestHandler {

    private RequestHandler next = this;
    private RequestHandler previous = this;

    /** Puts this handler before the other; returns the other. */
    final <H extends RequestHandler> H then(H other) {
        next = other;
        RequestHandler link = other;
        link.linkBack(this);
        return other;
    }

    private void linkBack(RequestHandler before) {
        previous = before;
    }

    final RequestHandler next() {
        return next;
    }

    final RequestHandler previous() {
        return previous;
    }

    // The request, towards the backend.

    void onRequest(RequestContext context, boolean last) {
        next.onRequest(context, last);
    }

    void onData(RequestContext context, ByteBuf data, boolean last) {
        next.onData(context, data, last);
    }

    void onEnd(RequestContext context) {
        next.onEnd(context);
    }

    void onWritable(RequestContext context) {
        next.onWritable(context);
    }

    void onClosed(RequestContext context, ClientGone cause) {
        next.onClosed(context, cause);
    }

    /** The request is answered without a backend: what the handlers behind have begun for it is given up. */
    void withdraw(RequestContext context) {
        next.withdraw(context);
    }

    // The response, towards the client.

    void informational(RequestContext context, Http2Headers head) {
        previous.informational(context, head);
    }

    void headers(RequestContext context, Http2Headers head, boolean last) {
        previous.headers(context, head, last);
    }

    void data(RequestContext context, ByteBuf data, boolean last) {
        previous.data(context, data, last);
    }

    void trailers(RequestContext context, Http2Headers trailers) {
        previous.trailers(context, trailers);
    }

    void reset(RequestContext context, ResetReason reason) {
        previous.reset(context, reason);
    }
}
