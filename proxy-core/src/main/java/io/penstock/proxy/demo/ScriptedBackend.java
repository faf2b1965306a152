package io.penstock.proxy.demo;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.penstock.proxy.demo.ScriptCounts.Count;
import io.penstock.proxy.net.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A model server that does what a test says, down to the byte: holds answers, dies in the middle, sends spoofed headers, goes away and
 * comes back. It shares the simulator's server. Every method may be called from any thread but its own event loop, and what it asks for
 * holds when it returns.
 */
public final class ScriptedBackend implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ScriptCounts counts = new ScriptCounts();
    private final BackendServer server;
    private final ScriptApp app;
    private final @Nullable EventLoopGroup own;

    private ScriptedBackend(EventLoopGroup group, @Nullable EventLoopGroup own, Transport transport) {
        EventLoop loop = group.next();
        this.own = own;
        this.app = new ScriptApp(counts, loop);
        this.server = new BackendServer(loop, transport, new InetSocketAddress("127.0.0.1", 0), Duration.ZERO, app);
    }

    /** Starts one on a free port of the loopback address, with an event loop of its own; it answers a short chat. */
    public static ScriptedBackend start() {
        Transport transport = Transport.detect(false);
        EventLoopGroup group = transport.newGroup(1, "scripted");
        return new ScriptedBackend(group, group, transport).listen();
    }

    /** Starts one on an event loop of a group that the caller shuts down, after closing the backend. */
    public static ScriptedBackend start(EventLoopGroup group, Transport transport) {
        return new ScriptedBackend(group, null, transport).listen();
    }

    public int port() {
        return server.address().getPort();
    }

    public InetSocketAddress address() {
        return server.address();
    }

    /** {@code host:port}. */
    public String authority() {
        return server.address().getAddress().getHostAddress() + ':' + port();
    }

    /** What every request gets from now on for which nothing else is said. */
    public ScriptedBackend answer(Script script) {
        return now(() -> app.answer(script));
    }

    /** What the next requests get, one each, before anything else is asked. */
    public ScriptedBackend answerNext(Script... scripts) {
        return now(() -> app.answerNext(List.of(scripts)));
    }

    /** What requests get whose head fits; the newest that fits wins. */
    public ScriptedBackend answerWhen(Predicate<SeenRequest> fits, Script script) {
        return now(() -> app.answerWhen(fits, script));
    }

    /** Nothing is answered from now on, until {@link #release()}. */
    public ScriptedBackend hold() {
        return now(() -> app.gate(ScriptRun.EVERYTHING).close());
    }

    /** Everything held by {@link #hold()} goes on. */
    public ScriptedBackend release() {
        return release(ScriptRun.EVERYTHING);
    }

    /** Opens the gate of that name for those who wait at it and those who come. */
    public ScriptedBackend release(String gate) {
        return now(() -> app.gate(gate).open());
    }

    /** Lets one go that is held by {@link #hold()}: the oldest, or the next to come. */
    public ScriptedBackend releaseOne() {
        return releaseOne(ScriptRun.EVERYTHING);
    }

    /** Lets one through the gate of that name: the oldest that waits, or the next to come. */
    public ScriptedBackend releaseOne(String gate) {
        return now(() -> app.gate(gate).letOneGo());
    }

    /** Connections that become idle from now on are closed after exactly that time; zero is never. */
    public ScriptedBackend idleTimeout(Duration timeout) {
        server.idleTimeout(timeout);
        return this;
    }

    /** New connections are refused by the kernel; those that exist go on. */
    public ScriptedBackend refuse() {
        server.refuse();
        return this;
    }

    /** Takes connections again, on the same port. */
    public ScriptedBackend listen() {
        server.listen();
        return this;
    }

    /** Ends every connection with a RST. */
    public ScriptedBackend resetConnections() {
        server.dropConnections(true);
        return this;
    }

    /** Ends every connection with a FIN. */
    public ScriptedBackend closeConnections() {
        server.dropConnections(false);
        return this;
    }

    /** Requests whose head was seen and whose answer is not finished. */
    public int running() {
        return counts.value(Count.RUNNING);
    }

    /** Connections open now. */
    public int openConnections() {
        return counts.value(Count.OPEN_CONNECTIONS);
    }

    /** Connections accepted since the start. */
    public int connections() {
        return counts.value(Count.CONNECTIONS);
    }

    /** Requests whose client went away before the answer was finished. */
    public int disconnects() {
        return counts.value(Count.DISCONNECTS);
    }

    /** Every request seen since the start, in order of their heads. */
    public List<SeenRequest> requests() {
        return counts.requests();
    }

    /** Waits until exactly that many requests are in progress. */
    public ScriptedBackend awaitRunning(int wanted) {
        return await(Count.RUNNING, wanted, true);
    }

    /** Waits until that many requests were received to their end since the start. */
    public ScriptedBackend awaitCompleteRequests(int wanted) {
        return await(Count.COMPLETE_REQUESTS, wanted, false);
    }

    /** Waits until that many clients went away before their answer was finished. */
    public ScriptedBackend awaitDisconnects(int wanted) {
        return await(Count.DISCONNECTS, wanted, false);
    }

    /** Waits until exactly that many connections are open. */
    public ScriptedBackend awaitOpenConnections(int wanted) {
        return await(Count.OPEN_CONNECTIONS, wanted, true);
    }

    private ScriptedBackend await(Count count, int wanted, boolean exactly) {
        counts.await(count, wanted, exactly, PATIENCE);
        return this;
    }

    private ScriptedBackend now(Runnable change) {
        server.loop().submit(change).syncUninterruptibly();
        return this;
    }

    @Override
    public void close() {
        server.close();
        if (own != null) {
            own.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
