package io.penstock.bench.headroom;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.util.AsciiString;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.HeaderNames;
import java.net.SocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a dispatcher connects. Immutable; {@code target} is asked on the event loop, for each new connection.
 *
 * @param target the proxy; after a restart it may be another one
 * @param transport the kernel interface
 * @param headroomName the response header that is taken for the headroom, null for none
 * @param readMillis 0 to read as fast as it comes; else the pause between two reads of at most {@link #SIP} bytes
 */
record WireSettings(Supplier<SocketAddress> target, Transport transport, @Nullable AsciiString headroomName, int readMillis) {

    /** Bytes that a slow reader takes at once: about half of an answer's head. */
    static final int SIP = 64;
    /** Until a connection that could not be opened is tried again. */
    static final long RECONNECT_MILLIS = 20;

    /** Reads the product's header, and reads it fast. */
    static WireSettings to(Supplier<SocketAddress> target, Transport transport) {
        return new WireSettings(target, transport, HeaderNames.HEADROOM, 0);
    }

    WireSettings reading(@Nullable AsciiString name) {
        return new WireSettings(target, transport, name, readMillis);
    }

    WireSettings slow(int pauseMillis) {
        return new WireSettings(target, transport, headroomName, pauseMillis);
    }

    /** A bootstrap whose connections carry these handlers. */
    Bootstrap bootstrap(EventLoop loop, Supplier<ChannelHandler[]> handlers) {
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(transport.client()).option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 2000)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (readMillis > 0) {
                            channel.pipeline().addLast(new SlowReader(readMillis));
                        }
                        channel.pipeline().addLast(handlers.get());
                    }
                });
        if (readMillis > 0) {
            bootstrap.option(ChannelOption.AUTO_READ, false).option(ChannelOption.SO_RCVBUF, 4096)
                    .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(SIP).maxMessagesPerRead(1));
        }
        return bootstrap;
    }
}
