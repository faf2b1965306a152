package io.penstock.proxy.downstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a listening socket without a loss. The kernel resets what still waits in the accept queue of a socket that closes, and to those
 * clients their connection is open and their request sent: they are accepted first, while a filter keeps new ones out. With epoll only; the
 * other transports leave the queue to the kernel. Any thread; the work is done on the socket's event loop.
 */
final class ClosingSocket {

    private static final Logger LOGGER = LoggerFactory.getLogger(ClosingSocket.class);
    /** {@code setsockopt(SOL_SOCKET, SO_ATTACH_FILTER, struct sock_fprog)}, see socket(7) and the kernel's networking/filter document. */
    private static final RawUnixChannelOption ATTACH_FILTER = new RawUnixChannelOption("SO_ATTACH_FILTER", 1, 26, 16);
    private static final IntegerUnixChannelOption DETACH_FILTER = new IntegerUnixChannelOption("SO_DETACH_FILTER", 1, 27);
    /** The one instruction "return 0": no packet reaches the socket. A client's SYN goes unanswered and is sent again after the close. */
    private static final ByteBuffer DROP_ALL = nativeOrder(8).putShort(0, (short) 6);
    /** Far above the kernel's longest queue. */
    private static final int MOST = 1 << 16;
    private static final int ADDRESS_BYTES = 26;

    private ClosingSocket() {
    }

    static ChannelFuture close(Channel socket) {
        EventLoop loop = socket.eventLoop();
        if (!(socket instanceof EpollServerSocketChannel epoll) || loop.isShuttingDown()) {
            return socket.close();
        }
        ChannelPromise closed = socket.newPromise();
        loop.execute(() -> {
            if (epoll.isActive()) {
                keepOut(epoll);
                acceptRest(epoll);
            }
            epoll.close(closed);
        });
        return closed;
    }

    private static void keepOut(EpollServerSocketChannel server) {
        ByteBuffer program = nativeOrder(16).putShort(0, (short) 1).putLong(8, Buffer.memoryAddress(DROP_ALL));
        try {
            server.config().setOption(ATTACH_FILTER, program);
        } catch (ChannelException e) {
            // Only the moment between the last accept and the close is open then.
            LOGGER.debug("{}: no filter", server.localAddress(), e);
        }
    }

    /** A connection whose handshake ended while the filter was put on has it too. */
    private static void letHear(EpollSocketChannel client) {
        try {
            client.config().setOption(DETACH_FILTER, 0);
        } catch (ChannelException none) {
            LOGGER.trace("{}: has no filter", client, none);
        }
    }

    private static ByteBuffer nativeOrder(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    private static void acceptRest(EpollServerSocketChannel server) {
        Socket socket = new Socket(server.fd().intValue());
        byte[] address = new byte[ADDRESS_BYTES];
        try {
            for (int i = 0; i < MOST; i++) {
                int descriptor = socket.accept(address);
                if (descriptor < 0) {
                    return;
                }
                EpollSocketChannel client = new EpollSocketChannel(descriptor);
                letHear(client);
                server.pipeline().fireChannelRead(client);
            }
        } catch (IOException e) {
            LOGGER.warn("{}: connections that wait to be accepted are lost: {}", server.localAddress(), e.toString());
        }
    }
}
