package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;

/** What a dispatcher speaks. */
enum Protocol {
    HTTP1, HTTP2;

    Wire wire(EventLoop loop, WireSettings settings, Wire.Owner owner) {
        return this == HTTP1 ? new Http1Wire(loop, settings, owner) : new Http2Wire(loop, settings, owner);
    }
}
