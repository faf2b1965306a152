package io.penstock.proxy.downstream;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;

/** Netty's response encoder, told of responses to HEAD. Used on the connection's event loop. */
final class Http1ResponseEncoder extends HttpResponseEncoder {

    private boolean bodiless;

    /** Whether the next head has no body. */
    void bodiless(boolean yes) {
        bodiless = yes;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return bodiless || super.isContentAlwaysEmpty(response);
    }
}
