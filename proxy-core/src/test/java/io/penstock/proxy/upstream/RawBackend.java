package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A backend that does byte for byte what its script says; one thread a connection. */
final class RawBackend implements Closeable {

    /** What one connection does; it is closed at the end. */
    interface Script {
        void run(Peer peer) throws IOException;
    }

    private final ServerSocket server;
    private final Endpoint endpoint;
    private final Script script;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger accepted = new AtomicInteger();

    RawBackend(Script script) throws IOException {
        this.server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        this.endpoint = new Endpoint(new EndpointSpec("default", "raw", "127.0.0.1", server.getLocalPort(), Map.of()));
        this.script = script;
        start(this::accept);
    }

    /** Answers every request of a connection with these bytes. */
    static RawBackend answering(String response) throws IOException {
        return new RawBackend(peer -> {
            while (peer.readHead() != null) {
                peer.send(response);
            }
        });
    }

    Endpoint endpoint() {
        return endpoint;
    }

    int accepted() {
        return accepted.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                accepted.incrementAndGet();
                sockets.add(socket);
                start(() -> serve(socket));
            }
        } catch (IOException ignored) {
            // Closed: the test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            script.run(new Peer(socket, ended));
        } catch (IOException ignored) {
            // The proxy has closed the connection, which the test sees elsewhere.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "raw-backend");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        ended.countDown();
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** The backend's end of one connection. */
    static final class Peer {
        private final Socket socket;
        private final CountDownLatch ended;
        private final InputStream in;
        private final OutputStream out;

        Peer(Socket socket, CountDownLatch ended) throws IOException {
            this.socket = socket;
            this.ended = ended;
            this.in = socket.getInputStream();
            this.out = socket.getOutputStream();
        }

        /** Up to and with the empty line; null at the end of input. */
        String readHead() throws IOException {
            return readTo("\r\n\r\n");
        }

        /** Bytes up to and with the mark; null when the input ends first. */
        String readTo(String mark) throws IOException {
            StringBuilder text = new StringBuilder();
            while (text.length() < mark.length() || text.indexOf(mark, text.length() - mark.length()) < 0) {
                int next = in.read();
                if (next < 0) {
                    return null;
                }
                text.append((char) next);
            }
            return text.toString();
        }

        byte[] read(int bytes) throws IOException {
            return in.readNBytes(bytes);
        }

        /** Everything until the proxy closes. */
        byte[] readAll() throws IOException {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            in.transferTo(all);
            return all.toByteArray();
        }

        void send(String bytes) throws IOException {
            send(bytes.getBytes(StandardCharsets.ISO_8859_1));
        }

        void send(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        /** One byte a segment. */
        void trickle(String bytes) throws IOException {
            for (byte b : bytes.getBytes(StandardCharsets.ISO_8859_1)) {
                out.write(b);
                out.flush();
            }
        }

        void close() throws IOException {
            socket.close();
        }

        /** Neither reads nor writes until the backend is closed. */
        void awaitTestEnd() throws IOException {
            try {
                ended.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        /** Closes with RST. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }
}
