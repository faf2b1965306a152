package io.penstock.proxy.testkit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A blocking loopback socket, plain or TLS, whose every read has a deadline. A read that runs into it fails the test: what was half read is
 * lost. One thread.
 */
final class RawSocket implements AutoCloseable {

    /** What a read returns at the end of the stream. */
    static final int EOF = -1;

    private final Socket tcp;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final Duration timeout;

    private RawSocket(Socket tcp, Socket socket, Duration timeout) throws IOException {
        this.tcp = tcp;
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        this.timeout = timeout;
    }

    /**
     * Connects to 127.0.0.1.
     *
     * @param receiveBuffer SO_RCVBUF in bytes, or 0 for the system's
     * @param tls null for a plain connection
     * @param alpn offered protocols; none leaves the extension out
     */
    static RawSocket connect(int port, Duration timeout, int receiveBuffer, @Nullable SSLContext tls, String... alpn) {
        Socket tcp = new Socket();
        try {
            if (receiveBuffer > 0) {
                tcp.setReceiveBufferSize(receiveBuffer);
            }
            tcp.setTcpNoDelay(true);
            tcp.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) timeout.toMillis());
            tcp.setSoTimeout((int) timeout.toMillis());
            return new RawSocket(tcp, tls == null ? tcp : handshake(tls, tcp, port, alpn), timeout);
        } catch (IOException e) {
            closeQuietly(tcp);
            throw new UncheckedIOException("no connection to port " + port, e);
        }
    }

    private static SSLSocket handshake(SSLContext tls, Socket tcp, int port, String... alpn) throws IOException {
        SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(tcp, "localhost", port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(alpn);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /** The protocol that ALPN chose; empty without one. */
    String applicationProtocol() {
        return socket instanceof SSLSocket ssl ? ssl.getApplicationProtocol() : "";
    }

    /** The client's own port. */
    int localPort() {
        return tcp.getLocalPort();
    }

    void write(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One byte, or {@link #EOF}; a connection that was reset is at its end too. */
    int read() {
        try {
            return in.read();
        } catch (SocketTimeoutException e) {
            throw late();
        } catch (SocketException e) {
            return EOF;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As many bytes as there are until the end of the stream, at most {@code count}: a shorter array says that it ended. */
    byte[] read(int count) {
        byte[] bytes = new byte[count];
        int have = 0;
        try {
            while (have < count) {
                int got = in.read(bytes, have, count - have);
                if (got < 0) {
                    break;
                }
                have += got;
            }
        } catch (SocketTimeoutException e) {
            throw late();
        } catch (SocketException e) {
            return Arrays.copyOf(bytes, have);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Arrays.copyOf(bytes, have);
    }

    private AssertionError late() {
        return new AssertionError("nothing came in for " + timeout.toMillis() + " ms");
    }

    /** Sends FIN (after close_notify with TLS); reading goes on. */
    void halfClose() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes with RST, without close_notify. */
    void reset() {
        try {
            tcp.setSoLinger(true, 0);
        } catch (SocketException ignored) {
            // Already closed: there is nothing left to reset.
        }
        closeQuietly(tcp);
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException ignored) {
            // The other side may have closed it first.
        }
    }
}
