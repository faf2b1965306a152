package io.penstock.proxy.downstream;

import io.netty.channel.ChannelPipeline;

/** The two pipelines a client connection can have; the only place that names their handlers. Stateless. */
final class Protocols {

    private Protocols() {
    }

    static void http2(ChannelPipeline pipeline, ClientConnection client, String after) {
        Http2Downstream handler = new Http2Downstream(client);
        pipeline.addAfter(after, "http2", handler.handler());
        client.protocol(handler, Http2Downstream.NAME);
    }

    static void http1(ChannelPipeline pipeline, ClientConnection client, String after) {
        Http1RequestReader reader = new Http1RequestReader(client);
        Http1ResponseEncoder encoder = new Http1ResponseEncoder();
        Http1Downstream handler = new Http1Downstream(client, reader, encoder);
        pipeline.addAfter(after, "http1", handler);
        pipeline.addAfter(after, "http1-encoder", encoder);
        pipeline.addAfter(after, "http1-reader", reader);
        client.protocol(handler, Http1Downstream.NAME);
    }
}
