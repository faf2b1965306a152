package io.penstock.bench.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.penstock.proxy.net.Transport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A cheap client for load: some connections to one port of 127.0.0.1, all on one event loop of its own. A request goes to the next
 * connection that has room; where none has, it waits in this client, and that wait belongs to its latency. A connection that is lost is
 * not opened again: requests that no connection can take any more fail. Opened and closed on the caller's thread; {@link #send} on {@link
 * #loop} only.
 */
public final class LoadClient implements AutoCloseable {

    private static final int CONNECT_MILLIS = 30_000;

    private final EventLoopGroup group;
    private final EventLoop loop;
    private final List<ClientConnection> connections = new ArrayList<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Owner owner = new Owner();
    private int next;

    private LoadClient(Transport transport) {
        group = transport.newGroup(1, "bench-client");
        loop = group.next();
    }

    /**
     * Opens this many connections, 1 or more, and waits until all can be used.
     *
     * @throws IllegalStateException where one is refused or closed, or none becomes usable for 30 s
     */
    public static LoadClient open(Protocol protocol, int port, int connections) {
        Transport transport = Transport.detect(false);
        LoadClient client = new LoadClient(transport);
        try {
            client.connect(transport, protocol, port, connections);
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private void connect(Transport transport, Protocol protocol, int port, int count) {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(transport.client()).option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS).handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        ChannelHandler handler = protocol == Protocol.H2C ? new ClientHttp2(owner) : new ClientHttp1(owner);
                        connections.add((ClientConnection) handler);
                        channel.pipeline().addLast(handler);
                    }
                });
        Opening opening = new Opening(bootstrap, loop, port, count);
        loop.execute(() -> {
            owner.opening = opening;
            opening.begin();
        });
        try {
            opening.done().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IllegalStateException why ? why : e;
        }
    }

    /** The event loop that everything runs on. */
    public EventLoop loop() {
        return loop;
    }

    /** Sends a request as soon as a connection has room; {@code call} hears of its end in any case. On {@link #loop} only. */
    public void send(LoadRequest request, Call call) {
        ClientConnection connection = waiting.isEmpty() ? withRoom() : null;
        if (connection != null) {
            connection.send(request, call);
        } else if (connections.stream().anyMatch(ClientConnection::alive)) {
            waiting.add(new Waiting(request, call));
        } else {
            call.failed("no connection left");
        }
    }

    private @Nullable ClientConnection withRoom() {
        for (int tried = 0; tried < connections.size(); tried++) {
            ClientConnection connection = connections.get(next);
            next = next + 1 == connections.size() ? 0 : next + 1;
            if (connection.hasRoom()) {
                return connection;
            }
        }
        return null;
    }

    /** Closes all connections; calls that are open fail. Returns when that has happened. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** What the connections report, on the loop. */
    private final class Owner implements ClientConnection.Owner {
        private @Nullable Opening opening;

        @Override
        public void ready() {
            if (opening != null) {
                opening.ready();
            }
        }

        @Override
        public void roomFreed() {
            while (!waiting.isEmpty()) {
                ClientConnection connection = withRoom();
                if (connection == null) {
                    return;
                }
                Waiting first = waiting.remove();
                connection.send(first.request, first.call);
            }
        }

        @Override
        public void lost() {
            if (opening != null) {
                opening.lost();
            }
            if (connections.stream().noneMatch(ClientConnection::alive)) {
                List<Waiting> left = new ArrayList<>(waiting);
                waiting.clear();
                left.forEach(each -> each.call.failed("no connection left"));
            }
        }
    }

    private record Waiting(LoadRequest request, Call call) {
    }
}
