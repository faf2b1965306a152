package io.penstock.proxy.upstream;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** One event loop with its connector, driven from the test's thread; closing it checks for leaked buffers. */
final class ClientLoop implements AutoCloseable {

    /** Added to the real time. */
    final AtomicLong clockOffset = new AtomicLong();
    final ConnectionLimit limit;
    final BackendConnector connector;
    private final EventLoopGroup group;
    private final EventLoop loop;

    ClientLoop(Transport transport) {
        this(transport, ProxyConfig.Upstream.defaults());
    }

    ClientLoop(Transport transport, ProxyConfig.Upstream config) {
        this(transport, config, UpstreamEvents.NONE);
    }

    ClientLoop(Transport transport, ProxyConfig.Upstream config, UpstreamEvents events) {
        group = transport.newGroup(1, "client");
        loop = group.next();
        limit = new ConnectionLimit(config.maxConnectionsPerEndpoint());
        connector = BackendConnector.create(loop, transport, config, limit, () -> System.nanoTime() + clockOffset.get(), events);
    }

    static ProxyConfig.Upstream config(Duration connectTimeout, Duration idleTimeout, int maxConnections) {
        return new ProxyConfig.Upstream("http1", connectTimeout, idleTimeout, maxConnections);
    }

    /** The same over HTTP/2. */
    static ProxyConfig.Upstream h2c(Duration connectTimeout, Duration idleTimeout, int maxConnections) {
        return new ProxyConfig.Upstream(ProxyConfig.Upstream.H2C, connectTimeout, idleTimeout, maxConnections);
    }

    static Http2Headers get(String path) {
        return head("GET", path);
    }

    static Http2Headers head(String method, String path) {
        return new DefaultHttp2Headers().method(method).path(path).scheme("http").authority("model.example");
    }

    static RequestContext context() {
        DownstreamExchange nobody = (DownstreamExchange) Proxy.newProxyInstance(ClientLoop.class.getClassLoader(),
                new Class<?>[] {DownstreamExchange.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("the upstream side called the downstream exchange");
                });
        return new RequestContext(nobody, new DefaultHttp2Headers());
    }

    /** A whole request: this head, and a body unless it is empty. */
    static Consumer<UpstreamExchange> request(Http2Headers head, String body) {
        return exchange -> {
            exchange.headers(head, body.isEmpty());
            if (!body.isEmpty()) {
                exchange.data(Unpooled.copiedBuffer(body, StandardCharsets.ISO_8859_1), true);
            }
        };
    }

    UpstreamExchange open(Endpoint endpoint, Recorder recorder) throws Exception {
        return on(() -> connector.open(endpoint, context(), recorder));
    }

    /** Opens an exchange, sends a GET and waits for its end. */
    Recorder get(Endpoint endpoint) throws Exception {
        return run(endpoint, request(get("/"), ""));
    }

    /** Opens an exchange, sends and waits for its end. */
    Recorder run(Endpoint endpoint, Consumer<UpstreamExchange> send) throws Exception {
        Recorder recorder = new Recorder(send);
        open(endpoint, recorder);
        recorder.over.get(10, SECONDS);
        // The connection is pooled at the end of the read that brought the response's end.
        on(() -> null);
        return recorder;
    }

    /** Runs on the loop and waits. */
    <T> T on(Callable<T> work) throws Exception {
        return loop.submit(work).get(10, SECONDS);
    }

    void onLoop(Runnable work) throws Exception {
        on(() -> {
            work.run();
            return null;
        });
    }

    @Override
    public void close() {
        connector.close();
        group.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
        LeakPresenceDetector.check();
    }
}
