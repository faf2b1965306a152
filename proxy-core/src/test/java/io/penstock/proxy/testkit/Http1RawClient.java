package io.penstock.proxy.testkit;

import io.penstock.proxy.testkit.Http1Response.Head;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 client that sends exactly the bytes it is given and reads responses piece by piece or whole, without ever being lenient: a
 * line that does not end in CR LF fails the test. Reads only when asked to. One thread.
 */
public final class Http1RawClient implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final RawSocket socket;

    private Http1RawClient(RawSocket socket) {
        this.socket = socket;
    }

    /** Connects to 127.0.0.1 in plain text. */
    public static Http1RawClient connect(int port) {
        return connect(port, TIMEOUT, 0, null);
    }

    /** Connects with TLS and {@code http/1.1} by ALPN. */
    public static Http1RawClient connectTls(int port, SSLContext context) {
        return connect(port, TIMEOUT, 0, context);
    }

    /**
     * Connects to 127.0.0.1.
     *
     * @param timeout how long each read waits before the test fails
     * @param receiveBuffer SO_RCVBUF in bytes, or 0 for the system's
     * @param tls null for plain text
     */
    public static Http1RawClient connect(int port, Duration timeout, int receiveBuffer, @Nullable SSLContext tls) {
        return new Http1RawClient(RawSocket.connect(port, timeout, receiveBuffer, tls, "http/1.1"));
    }

    /** Sends characters as ISO 8859-1; line ends are written out by the test. */
    public void send(String text) {
        socket.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public void send(byte[] bytes) {
        socket.write(bytes);
    }

    /** The next response with its 1xx heads; not for an answer to HEAD. */
    public Http1Response response() {
        List<Head> informational = new ArrayList<>();
        Head head = head();
        while (head.status() < 200 && head.status() != 101) {
            informational.add(head);
            head = head();
        }
        int status = head.status();
        if (status == 101 || status == 204 || status == 304) {
            return new Http1Response(informational, head, new byte[0], List.of(), true);
        }
        if (head.header("transfer-encoding").filter(v -> v.toLowerCase(Locale.ROOT).endsWith("chunked")).isPresent()) {
            return chunked(informational, head);
        }
        if (head.header("content-length").isPresent()) {
            int length = Integer.parseInt(head.header("content-length").get());
            byte[] body = socket.read(length);
            return new Http1Response(informational, head, body, List.of(), body.length == length);
        }
        return new Http1Response(informational, head, untilEof(), List.of(), true);
    }

    private Http1Response chunked(List<Head> informational, Head head) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] chunk = chunk();
        while (chunk != null && chunk.length > 0) {
            body.writeBytes(chunk);
            chunk = chunk();
        }
        List<Header> trailers = chunk == null ? null : fields();
        return new Http1Response(informational, head, body.toByteArray(), trailers == null ? List.of() : trailers, trailers != null);
    }

    /** The next status line and its fields, 1xx or final. */
    public Head head() {
        String statusLine = line();
        List<Header> headers = statusLine == null ? null : fields();
        if (statusLine == null || headers == null) {
            throw new AssertionError("response head: the connection was closed after \"" + statusLine + '"');
        }
        return new Head(statusLine, headers);
    }

    /** The next chunk; empty for the last one (then its {@link #fields} follow), null when the connection ended before or in it. */
    public byte @Nullable [] chunk() {
        String size = line();
        if (size == null) {
            return null;
        }
        int length = Integer.parseInt(size.split(";", 2)[0].trim(), 16);
        byte[] chunk = socket.read(length);
        if (chunk.length < length) {
            return null;
        }
        if (length > 0 && !"".equals(line())) {
            return null;
        }
        return chunk;
    }

    /** Fields up to the empty line, or null when the connection ended first. */
    public @Nullable List<Header> fields() {
        List<Header> headers = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new AssertionError("header field: \"" + line + "\" (expected: name: value)");
            }
            headers.add(new Header(line.substring(0, colon), line.substring(colon + 1).trim()));
        }
        return null;
    }

    /** The next line without CR LF, or null when the connection ended before its end. */
    public @Nullable String line() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = socket.read(); b != RawSocket.EOF; b = socket.read()) {
            if (b == '\n') {
                throw new AssertionError("line end: LF (expected: CR LF) after \"" + text(line) + '"');
            }
            if (b != '\r') {
                line.write(b);
                continue;
            }
            if (socket.read() != '\n') {
                throw new AssertionError("line end: CR (expected: CR LF) after \"" + text(line) + '"');
            }
            return text(line);
        }
        return null;
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** Exactly that many bytes, fewer only when the connection ended. */
    public byte[] exactly(int count) {
        return socket.read(count);
    }

    /** Everything up to the end of the connection, regular or reset. */
    public byte[] untilEof() {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        byte[] some = socket.read(8_192);
        while (some.length == 8_192) {
            rest.writeBytes(some);
            some = socket.read(8_192);
        }
        rest.writeBytes(some);
        return rest.toByteArray();
    }

    /** Sends FIN; reading goes on. */
    public void halfClose() {
        socket.halfClose();
    }

    /** Ends the connection with TCP RST. */
    public void abort() {
        socket.reset();
    }

    /** The client's own port, as the proxy's log shows it. */
    public int localPort() {
        return socket.localPort();
    }

    @Override
    public void close() {
        socket.close();
    }
}
