package io.penstock.proxy.handler;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.RequestContext;

/** Answers {@code expect: 100-continue} (RFC 9110 section 10.1.1): as late as possible, since a refused body then was never sent. */
final class Expectations {

    private Expectations() {
    }

    /** The client may send its body now. The field goes no further; a second call does nothing. */
    static void answer(RequestHandler from, RequestContext context) {
        if (context.head().get(HttpHeaderNames.EXPECT) == null) {
            return;
        }
        context.head().remove(HttpHeaderNames.EXPECT);
        if (!context.body().complete() && context.body().received() == 0) {
            Http2Headers proceed = new DefaultHttp2Headers(false, 1);
            proceed.status(Decimals.of(100));
            from.previous().informational(context, proceed);
        }
    }
}
