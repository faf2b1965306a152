package io.penstock.proxy.endpoint;

import io.penstock.proxy.testkit.TestTls;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLServerSocket;

/** A server on a real socket that answers each request with the bytes a test gives it, however wrong. */
final class PageServer implements AutoCloseable {

    /** What to send. */
    interface Answers {
        byte[] next() throws InterruptedException;
    }

    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger answering = new AtomicInteger();
    final AtomicInteger mostAnswering = new AtomicInteger();
    volatile Answers answers;
    /** Whether to close each connection after its answer without having said so. */
    volatile boolean closing;
    /** The newest request, up to its empty line. */
    volatile String lastHead = "";

    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    PageServer(Answers answers) throws IOException {
        this(answers, 0);
    }

    PageServer(Answers answers, int port) throws IOException {
        this(answers, new ServerSocket(), "127.0.0.1", port);
    }

    /** At another loopback address. */
    PageServer(Answers answers, String host, int port) throws IOException {
        this(answers, new ServerSocket(), host, port);
    }

    private PageServer(Answers answers, ServerSocket listener, String host, int port) throws IOException {
        this.answers = answers;
        this.listener = listener;
        listener.setReuseAddress(true);
        listener.bind(new InetSocketAddress(InetAddress.getByName(host), port));
        thread(this::accept);
    }

    /** One that speaks TLS, at any loopback address, and may want a certificate of its clients, whichever. */
    static PageServer tls(TestTls tls, String host, boolean wantsCertificate) throws IOException {
        SSLServerSocket socket = (SSLServerSocket) tls.client().getServerSocketFactory().createServerSocket();
        socket.setNeedClientAuth(wantsCertificate);
        return new PageServer(() -> vllm(3, 7, 0.25), socket, host, 0);
    }

    static byte[] page(String body) {
        return ("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] vllm(int waiting, int running, double kv) {
        return page("vllm:num_requests_waiting{m=\"a\"} " + waiting + ".0\nvllm:num_requests_running{m=\"a\"} " + running
                + ".0\nvllm:kv_cache_usage_perc{m=\"a\"} " + kv + "\n");
    }

    int port() {
        return listener.getLocalPort();
    }

    int openConnections() {
        return open.size();
    }

    /** For an answer that never comes. */
    byte[] never() throws InterruptedException {
        closed.await();
        return new byte[0];
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                connections.incrementAndGet();
                open.add(socket);
                thread(() -> serve(socket));
            }
        } catch (IOException ignored) {
            // closed
        }
    }

    private void serve(Socket socket) {
        StringBuilder head = new StringBuilder();
        try (socket; InputStream in = new BufferedInputStream(socket.getInputStream())) {
            while (readHead(in, head)) {
                lastHead = head.toString();
                requests.incrementAndGet();
                mostAnswering.accumulateAndGet(answering.incrementAndGet(), Math::max);
                byte[] answer = answers.next();
                answering.decrementAndGet();
                socket.getOutputStream().write(answer);
                if (closing || answer.length == 0) {
                    return;
                }
            }
        } catch (IOException ignored) {
            // the other side has gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    private boolean readHead(InputStream in, StringBuilder head) throws IOException {
        int matched = 0;
        head.setLength(0);
        while (matched < 4) {
            int b = in.read();
            if (b < 0) {
                return false;
            }
            head.append((char) b);
            matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
        }
        return true;
    }

    private static void thread(Runnable task) {
        Thread thread = new Thread(task, "page-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
