package io.penstock.proxy.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A backend of blocking sockets with small buffers, one thread a connection, for what a {@code ScriptedBackend} cannot do: not read, and
 * count what the other side lets it write. Its methods may be called from any thread.
 */
final class SocketBackend implements AutoCloseable {

    private static final int BUFFER = 64 << 10;

    /** What one connection does; it is closed at the end. */
    interface Work {
        void serve(Connection connection) throws IOException, InterruptedException;
    }

    /** One connection's streams. */
    record Connection(Socket socket, InputStream in, OutputStream out) {

        /** Reads to the end of a request's head; null when there is none. */
        String head() throws IOException {
            StringBuilder text = new StringBuilder();
            while (text.length() < 4 || text.indexOf("\r\n\r\n", text.length() - 4) < 0) {
                int next = in.read();
                if (next < 0) {
                    return null;
                }
                text.append((char) next);
            }
            return text.toString();
        }

        void send(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }
    }

    private final ServerSocket server;
    private final Work work;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger ended = new AtomicInteger();

    private SocketBackend(ServerSocket server, Work work) {
        this.server = server;
        this.work = work;
    }

    static SocketBackend start(Work work) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReceiveBufferSize(BUFFER);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        SocketBackend backend = new SocketBackend(server, work);
        run(backend::accept);
        return backend;
    }

    /** The endpoint list of a configuration with only this backend. */
    String endpoints() {
        return "endpoints: [" + endpoint("socket", server.getLocalPort()) + "]\n";
    }

    /** One entry of an endpoint list in flow style. */
    static String endpoint(String name, int port) {
        return "{name: " + name + ", address: \"127.0.0.1:" + port + "\"}";
    }

    int port() {
        return server.getLocalPort();
    }

    /** Connections whose work has ended. */
    int ended() {
        return ended.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                run(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setSendBufferSize(BUFFER);
            socket.setTcpNoDelay(true);
            work.serve(new Connection(socket, socket.getInputStream(), socket.getOutputStream()));
        } catch (IOException | InterruptedException gone) {
            // The proxy closed the connection; the tests see that in the count.
        } finally {
            ended.incrementAndGet();
        }
    }

    private static void run(Runnable task) {
        Thread thread = new Thread(task, "socket-backend");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
