package io.penstock.proxy.downstream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** An HTTP/1.1 client that sends exactly the bytes it is told to. One thread. */
final class Http1Probe implements AutoCloseable {

    final Socket socket;
    private final InputStream in;

    Http1Probe(InetSocketAddress address) {
        this(connect(address));
    }

    Http1Probe(Socket socket) {
        try {
            this.socket = socket;
            in = socket.getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Socket connect(InetSocketAddress address) {
        try {
            Socket socket = new Socket(address.getAddress(), address.getPort());
            socket.setSoTimeout(10_000);
            socket.setTcpNoDelay(true);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Http1Probe send(String text) {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Http1Probe send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (SocketException ignored) {
            // The reads tell how it ended.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Reads until the text has come, that included; what came so far when the connection ends before. */
    String until(String end) {
        byte[] wanted = end.getBytes(StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            while (!text.toString(StandardCharsets.ISO_8859_1).endsWith(end) || text.size() < wanted.length) {
                int next = in.read();
                if (next < 0) {
                    break;
                }
                text.write(next);
            }
        } catch (SocketException ignored) {
            text.writeBytes("<reset>".getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.ISO_8859_1);
    }

    String head() {
        return until("\r\n\r\n");
    }

    /** Reads and counts; stops at the end or above that many bytes. */
    long rest(long bytes) {
        byte[] buffer = new byte[1 << 16];
        long total = 0;
        try {
            while (total <= bytes) {
                int read = in.read(buffer);
                if (read < 0) {
                    break;
                }
                total += read;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return total;
    }

    /** All that comes until the connection ends. */
    String rest() {
        return until("\0never");
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
