package io.penstock.proxy.downstream;

import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.penstock.proxy.request.DownstreamListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The client connections of one event loop: looks at each of them once a tick, so that no timer is made per request. Used on that loop,
 * but for {@link #openRequests()}.
 */
final class EdgeLoop {

    private final EventLoop loop;
    private final Edge edge;
    private final DownstreamListener listener;
    private final Set<ClientConnection> connections = new LinkedHashSet<>();
    private final AtomicInteger openRequests = new AtomicInteger();
    private boolean ticking;
    private @Nullable Duration drainGrace;

    EdgeLoop(EventLoop loop, Edge edge, DownstreamListener listener) {
        this.loop = loop;
        this.edge = edge;
        this.listener = listener;
    }

    EventLoop eventLoop() {
        return loop;
    }

    Edge edge() {
        return edge;
    }

    DownstreamListener listener() {
        return listener;
    }

    void add(ClientConnection connection) {
        connections.add(connection);
        if (!ticking) {
            ticking = true;
            schedule();
        }
    }

    void remove(ClientConnection connection) {
        connections.remove(connection);
    }

    /** Set once a drain has begun; a connection whose protocol becomes known later drains at once. */
    @Nullable Duration drainGrace() {
        return drainGrace;
    }

    void requestOpened() {
        // This loop is the only writer.
        openRequests.lazySet(openRequests.get() + 1);
    }

    void requestClosed() {
        openRequests.lazySet(openRequests.get() - 1);
    }

    /** Any thread may ask. */
    int openRequests() {
        return openRequests.get();
    }

    void startDrain(Duration grace) {
        drainGrace = grace;
        for (ClientConnection connection : copy()) {
            connection.startDrain(grace);
        }
    }

    int closeNow() {
        int reset = 0;
        for (ClientConnection connection : copy()) {
            reset += connection.closeNow();
        }
        return reset;
    }

    /** What completes when the connections that are open now are closed. */
    List<ChannelFuture> closeFutures() {
        List<ChannelFuture> futures = new ArrayList<>();
        connections.forEach(connection -> futures.add(connection.channel().closeFuture()));
        return futures;
    }

    private void schedule() {
        loop.schedule(this::tick, edge.timings().tick(), TimeUnit.NANOSECONDS);
    }

    private void tick() {
        if (connections.isEmpty()) {
            ticking = false;
            return;
        }
        long now = edge.clock().getAsLong();
        for (ClientConnection connection : copy()) {
            try {
                connection.tick(now);
            } catch (RuntimeException e) {
                // One connection's defect must not stop the clock of all others.
                connection.fail(ConnectionFault.INTERNAL_ERROR, "unexpected " + e);
            }
        }
        schedule();
    }

    /** What is called closes connections, which removes them. */
    private List<ClientConnection> copy() {
        return new ArrayList<>(connections);
    }
}
