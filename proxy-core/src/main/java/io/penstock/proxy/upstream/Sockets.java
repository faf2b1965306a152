package io.penstock.proxy.upstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.WriteBufferWaterMark;
import io.penstock.proxy.net.Transport;
import java.time.Duration;

/** Makes sockets towards backends, not yet connected, with the options that all of them have. Any thread. */
final class Sockets {

    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(32 << 10, 64 << 10);
    /**
     * Bounds what the kernel holds for a response that its client does not take, and with epoll what comes up at once when the backend
     * closes meanwhile: Netty then reads all there is, paused or not. The kernel's own tuning goes to 6 MiB.
     */
    private static final int RECEIVE_BUFFER = 256 << 10;

    private final ChannelFactory<? extends Channel> factory;
    private final int connectTimeoutMillis;

    Sockets(Transport transport, Duration connectTimeout) {
        this.factory = new ReflectiveChannelFactory<>(transport.client());
        this.connectTimeoutMillis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, connectTimeout.toMillis()));
    }

    Channel newChannel() {
        Channel channel = factory.newChannel();
        channel.config().setConnectTimeoutMillis(connectTimeoutMillis).setWriteBufferWaterMark(WATER_MARK)
                // A backend may answer early and close: after the failed write its answer can still be read.
                .setAutoClose(false);
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        channel.config().setOption(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER);
        return channel;
    }
}
