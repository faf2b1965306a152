package io.penstock.proxy.downstream;

import io.netty.channel.EventLoopGroup;
import io.penstock.proxy.http2.Abuse;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.config.ProxyConfig.HostPort;
import io.penstock.proxy.config.ProxyConfig.Limits;
import io.penstock.proxy.config.ProxyConfig.Listener;
import io.penstock.proxy.config.ProxyConfig.Tls;
import io.penstock.proxy.net.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Listeners on loopback before {@link RecordingRequests}. */
final class TestProxy implements AutoCloseable {

    static final EdgeTimings USUAL = EdgeTimings.of(Duration.ofSeconds(30));

    final RecordingRequests requests = new RecordingRequests();
    final Queue<ConnectionFault> faults = new ConcurrentLinkedQueue<>();
    final Queue<Abuse> abuses = new ConcurrentLinkedQueue<>();
    final Listeners listeners;
    private final EventLoopGroup group;

    TestProxy() {
        this(Transport.detect(false), Limits.defaults(), USUAL, null);
    }

    TestProxy(Limits limits) {
        this(Transport.detect(false), limits, USUAL, null);
    }

    TestProxy(Transport transport, Limits limits, EdgeTimings timings, @Nullable Tls tls) {
        group = transport.newGroup(2, "test");
        ProxyConfig usual = ProxyConfig.defaults();
        ProxyConfig config = new ProxyConfig(List.of(new Listener("plain", new HostPort("127.0.0.1", 0), tls)), usual.admin(),
                usual.metrics(), List.of(), usual.upstream(), usual.timeouts(), limits, usual.drain(), usual.accessLog(), usual.compat());
        listeners = Listeners.bind(config, timings, transport, group, loop -> requests, new ConnectionEvents() {
            @Override
            public void fault(ConnectionFault fault) {
                faults.add(fault);
            }

            @Override
            public void abuse(Abuse kind) {
                abuses.add(kind);
            }
        }, System::nanoTime);
    }

    InetSocketAddress address() {
        return listeners.address("plain");
    }

    static Limits limits(int maxHeaderBytes, int maxHeaders, int maxStreams, int maxConnections) {
        return new Limits(32L << 20, 256L << 20, maxHeaderBytes, maxHeaders, maxStreams, maxConnections);
    }

    @Override
    public void close() {
        listeners.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
