package io.penstock.proxy.downstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client connection from accept to close, whatever it speaks. Used on its event loop.
 */
final class ClientConnection {

    /** How long a draining connection that could still bring a request is left open without one. */
    static final long DRAIN_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Channel channel;
    private final EdgeLoop loop;
    private final String listener;
    private final boolean secure;
    private final String peer;
    private final LingeringClose linger;
    private final long acceptedAt;
    private @Nullable ProtocolHandler protocol;

    private @Nullable Object stalledMessage;
    private long stalledProgress;
    private long stalledAt;

    ClientConnection(Channel channel, EdgeLoop loop, String listener, boolean secure, LingeringClose linger) {
        this.channel = channel;
        this.loop = loop;
        this.listener = listener;
        this.secure = secure;
        this.linger = linger;
        peer = address(channel.remoteAddress());
        acceptedAt = loop.edge().clock().getAsLong();
    }

    private static String address(@Nullable SocketAddress remote) {
        if (remote instanceof InetSocketAddress inet && inet.getAddress() != null) {
            return inet.getAddress().getHostAddress();
        }
        return "unknown";
    }

    Channel channel() {
        return channel;
    }

    EdgeLoop loop() {
        return loop;
    }

    Edge edge() {
        return loop.edge();
    }

    boolean secure() {
        return secure;
    }

    String scheme() {
        return secure ? "https" : "http";
    }

    /** The peer's address without its port. */
    String peer() {
        return peer;
    }

    void open() {
        loop.add(this);
        edge().events().opened(listener);
        channel.closeFuture().addListener(closed -> {
            loop.remove(this);
            edge().connections().release();
            edge().events().closed(listener);
        });
    }

    void protocol(ProtocolHandler handler, String name) {
        protocol = handler;
        edge().events().protocol(name);
        Duration grace = loop.drainGrace();
        if (grace != null) {
            handler.startDrain(grace);
        }
    }

    /** Counts the fault, says so at most once a second, and closes. */
    void fail(ConnectionFault fault, String detail) {
        edge().events().fault(fault);
        edge().log().warn("closing the connection of " + peer + " on listener " + listener + ": " + detail);
        channel.close();
    }

    /** The next close keeps reading for a moment, so that the client gets what was written before its own bytes make the kernel reset. */
    void lingerOnClose() {
        linger.arm();
    }

    void tick(long now) {
        if (stalledFor(now) >= edge().timings().writeStall()) {
            edge().events().fault(ConnectionFault.WRITE_STALL);
            if (protocol != null) {
                protocol.stalled();
            }
            channel.unsafe().close(channel.voidPromise());
            return;
        }
        if (protocol != null) {
            protocol.tick(now);
        } else if (now - acceptedAt >= edge().timings().preface()) {
            edge().events().fault(ConnectionFault.PREFACE_TIMEOUT);
            channel.close();
        }
    }

    /** How long the socket has taken nothing of what waits; 0 when nothing waits. */
    private long stalledFor(long now) {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        Object message = buffer == null ? null : buffer.current();
        if (buffer == null || message == null) {
            stalledMessage = null;
            return 0;
        }
        long progress = buffer.currentProgress();
        if (message != stalledMessage || progress != stalledProgress) {
            stalledMessage = message;
            stalledProgress = progress;
            stalledAt = now;
        }
        return now - stalledAt;
    }

    void startDrain(Duration grace) {
        if (protocol != null) {
            protocol.startDrain(grace);
            return;
        }
        // Its first bytes may be on their way: clients connect ahead. Who says nothing for so long has no request here.
        channel.eventLoop().schedule(() -> {
            if (protocol == null) {
                channel.close();
            }
        }, Math.max(grace.toNanos(), DRAIN_PATIENCE_NANOS), TimeUnit.NANOSECONDS);
    }

    int closeNow() {
        if (protocol != null) {
            return protocol.closeNow();
        }
        channel.close();
        return 0;
    }
}
