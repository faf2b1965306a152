package io.penstock.proxy.handler;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamFault;

/** Hears what happens between the chain and the backends, for metrics. Quick, never blocks, never throws. */
public interface ForwardEvents {

    /** Tells nobody. */
    ForwardEvents NONE = new ForwardEvents() {
    };

    /** An exchange failed. */
    default void failed(Endpoint endpoint, UpstreamFault fault) {
    }

    /** A request goes out a second time. */
    default void replayed(Endpoint failed) {
    }

    /** A timer ended a request; its name is that of the setting. */
    default void timedOut(RequestContext context, String timer) {
    }
}
