package io.penstock.proxy.downstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a listening socket without a loss. The kernel resets what still waits in the accept queue of a socket that closes, and forgets
 * whose handshake is not over, while to those clients their connection is open and their request sent. So a filter keeps new clients out
 * first, then those who have begun get a while to come to the end of it, and all of them are accepted. With epoll only; the other
 * transports leave the queue to the kernel. Any thread; the work is done on the socket's event loop.
 */
final class ClosingSocket {

    private static final Logger LOGGER = LoggerFactory.getLogger(ClosingSocket.class);
    /** {@code setsockopt(SOL_SOCKET, SO_ATTACH_FILTER, struct sock_fprog)}, see socket(7) and the kernel's networking/filter document. */
    private static final RawUnixChannelOption ATTACH_FILTER = new RawUnixChannelOption("SO_ATTACH_FILTER", 1, 26, 16);
    private static final int INSTRUCTION_BYTES = 8;
    /** A client's SYN goes unanswered and is sent again after the close. All else passes, so whoever inherits the filter hears all. */
    private static final ByteBuffer DROP_SYN = dropSyn();
    /** Far above the kernel's longest queue. */
    private static final int MOST = 1 << 16;
    private static final int ADDRESS_BYTES = 26;

    private ClosingSocket() {
    }

    /**
     * Closes.
     *
     * @param handshakeNanos how long whoever is in the middle of a handshake has for its end, 0 for not at all
     */
    static ChannelFuture close(Channel socket, long handshakeNanos) {
        EventLoop loop = socket.eventLoop();
        if (!(socket instanceof EpollServerSocketChannel epoll) || loop.isShuttingDown()) {
            return socket.close();
        }
        ChannelPromise closed = socket.newPromise();
        loop.execute(() -> {
            if (epoll.isActive() && keepOut(epoll) && handshakeNanos > 0) {
                loop.schedule(() -> finish(epoll, closed), handshakeNanos, TimeUnit.NANOSECONDS);
            } else {
                finish(epoll, closed);
            }
        });
        return closed;
    }

    private static void finish(EpollServerSocketChannel server, ChannelPromise closed) {
        if (server.isActive()) {
            acceptRest(server);
        }
        server.close(closed);
    }

    private static boolean keepOut(EpollServerSocketChannel server) {
        ByteBuffer program = nativeOrder(16).putShort(0, (short) (DROP_SYN.capacity() / INSTRUCTION_BYTES))
                .putLong(8, Buffer.memoryAddress(DROP_SYN));
        try {
            server.config().setOption(ATTACH_FILTER, program);
            return true;
        } catch (ChannelException e) {
            // Only the moment between the last accept and the close is open then.
            LOGGER.debug("{}: no filter", server.localAddress(), e);
            return false;
        }
    }

    /** Classic BPF; what it looks at begins with the TCP header. */
    private static ByteBuffer dropSyn() {
        ByteBuffer program = nativeOrder(4 * INSTRUCTION_BYTES);
        instruction(program, 0x30, 0, 13); // load the byte with the flags
        instruction(program, 0x45, 1, 0x02); // without SYN: skip one
        instruction(program, 0x06, 0, 0); // keep nothing of it
        instruction(program, 0x06, 0, -1); // keep all of it
        return program;
    }

    /** A {@code struct sock_filter}. */
    private static void instruction(ByteBuffer program, int code, int skipIfFalse, int operand) {
        program.putShort((short) code).put((byte) 0).put((byte) skipIfFalse).putInt(operand);
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
                server.pipeline().fireChannelRead(new EpollSocketChannel(descriptor));
            }
        } catch (IOException e) {
            LOGGER.warn("{}: connections that wait to be accepted are lost: {}", server.localAddress(), e.toString());
        }
    }
}
