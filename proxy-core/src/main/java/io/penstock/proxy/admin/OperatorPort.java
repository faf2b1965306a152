package io.penstock.proxy.admin;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bound operator port: the JDK's HTTP server with a bounded pool of daemon threads, so that neither its clients nor its work ever reach
 * an event loop. A connection takes a thread only while a request of it is being read or answered.
 */
final class OperatorPort implements AutoCloseable {

    /**
     * System properties of the JDK's server that bound slow clients; it reads them once, when the first port is opened. Seconds, but for
     * the counts.
     */
    static final Map<String, String> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", "3",
            "sun.net.httpserver.maxRspTime", "20",
            "sun.net.httpserver.idleInterval", "30",
            "sun.net.httpserver.maxReqHeaders", "100",
            "jdk.httpserver.maxConnections", "512");

    /** Half-sent requests that an operator's own has room beside; a thread that waits for one costs its stack. */
    private static final int MAX_THREADS = 96;
    private static final int BACKLOG = 128;
    private static final long STACK_BYTES = 256 << 10;

    private final HttpServer server;
    private final ExecutorService threads;

    private OperatorPort(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * Binds and serves.
     *
     * @param name of the port, for messages and threads
     * @throws IOException with a message such as {@code admin: 127.0.0.1:9901: address already in use}
     */
    static OperatorPort open(String name, InetSocketAddress address, HttpHandler handler) throws IOException {
        HttpServer server = bind(name, address);
        ExecutorService threads = pool(name);
        server.setExecutor(threads);
        server.createContext("/", handler);
        startAsDaemon(name, server);
        return new OperatorPort(server, threads);
    }

    /** The server's own thread is a daemon only when a daemon starts it; else an open port would keep the process from ending. */
    private static void startAsDaemon(String name, HttpServer server) throws IOException {
        Thread starter = new Thread(server::start, "penstock-" + name + "-start");
        starter.setDaemon(true);
        starter.start();
        try {
            starter.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            server.stop(0);
            throw new IOException(name + ": interrupted while the port was opened", e);
        }
    }

    private static HttpServer bind(String name, InetSocketAddress address) throws IOException {
        String at = name + ": " + Addresses.text(address) + ": ";
        if (address.isUnresolved()) {
            throw new IOException(at + "host not found (expected: an address of this machine)");
        }
        try {
            return HttpServer.create(address, BACKLOG);
        } catch (IOException | UnresolvedAddressException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new IOException(at + why.substring(0, 1).toLowerCase(Locale.ROOT) + why.substring(1), e);
        }
    }

    private static ExecutorService pool(String name) {
        AtomicInteger count = new AtomicInteger();
        return new ThreadPoolExecutor(0, MAX_THREADS, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(null, task, "penstock-" + name + '-' + count.incrementAndGet(), STACK_BYTES);
            thread.setDaemon(true);
            return thread;
        });
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    /** Closes the port and every connection at once. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
