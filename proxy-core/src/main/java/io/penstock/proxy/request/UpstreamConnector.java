package io.penstock.proxy.request;

import io.penstock.proxy.endpoint.Endpoint;

/** Opens exchanges with backends. There is one per event loop, used on that loop only. */
public interface UpstreamConnector {

    /** Takes an idle connection or makes one. The answer comes through the listener, never from another thread. */
    UpstreamExchange open(Endpoint endpoint, RequestContext context, UpstreamListener listener);
}
