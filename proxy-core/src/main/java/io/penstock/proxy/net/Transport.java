package io.penstock.proxy.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * The kernel interface that sockets use: epoll where present, io_uring when asked for and present, NIO elsewhere. Immutable.
 *
 * @param label for the start-up line
 * @param handlers makes each event loop's I/O handler
 * @param server listening socket type
 * @param client connecting socket type
 * @param reusePort whether several listening sockets can share a port
 */
public record Transport(String label, IoHandlerFactory handlers, Class<? extends ServerChannel> server, Class<? extends Channel> client,
        boolean reusePort) {

    /** The best transport of this machine. */
    public static Transport detect(boolean preferIoUring) {
        if (preferIoUring && IoUring.isAvailable()) {
            return new Transport("io_uring", IoUringIoHandler.newFactory(), IoUringServerSocketChannel.class, IoUringSocketChannel.class,
                    true);
        }
        if (Epoll.isAvailable()) {
            return new Transport("epoll", EpollIoHandler.newFactory(), EpollServerSocketChannel.class, EpollSocketChannel.class, true);
        }
        return nio();
    }

    /** Java's own selector, which runs everywhere. */
    public static Transport nio() {
        return new Transport("nio", NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class, false);
    }

    /** A group of event loops; the caller shuts it down. */
    public EventLoopGroup newGroup(int loops, String threadName) {
        return new MultiThreadIoEventLoopGroup(loops, new DefaultThreadFactory(threadName, true), handlers);
    }
}
