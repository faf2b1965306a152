package io.penstock.proxy.downstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sets up each accepted connection of one listener, or resets it when there are too many. Called on the connection's event loop.
 */
final class ListenerInitializer extends ChannelInitializer<Channel> {

    private final String name;
    private final Map<EventLoop, EdgeLoop> loops;
    private final @Nullable SslContext tls;

    ListenerInitializer(String name, Map<EventLoop, EdgeLoop> loops, @Nullable SslContext tls) {
        this.name = name;
        this.loops = loops;
        this.tls = tls;
    }

    @Override
    protected void initChannel(Channel channel) {
        EdgeLoop loop = loops.get(channel.eventLoop());
        if (loop == null) {
            throw new IllegalStateException("a connection on an unknown event loop");
        }
        Edge edge = loop.edge();
        if (!edge.connections().tryAcquire()) {
            edge.events().fault(ConnectionFault.CONNECTION_LIMIT);
            edge.log().warn("too many client connections: " + edge.limits().maxConnections() + " are open; resetting new ones");
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.close();
            return;
        }
        LingeringClose linger = new LingeringClose();
        ClientConnection client = new ClientConnection(channel, loop, name, tls != null, linger);
        client.open();
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.addLast("linger", linger);
        if (tls == null) {
            pipeline.addLast("protocol", new ProtocolSelector(client));
        } else {
            SslHandler handler = tls.newHandler(channel.alloc());
            handler.setHandshakeTimeout(edge.timings().preface(), TimeUnit.NANOSECONDS);
            pipeline.addLast("tls", handler);
            pipeline.addLast("alpn", new AlpnSelector(client));
        }
        pipeline.addLast("end", new ConnectionEnd(client));
    }
}
