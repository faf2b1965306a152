package io.penstock.proxy.demo;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A blocking HTTP/1.1 client that shows bytes as they are. One thread. */
final class WireClient implements AutoCloseable {

    /** An answer; the head is its lines with their ends, the body is without chunk framing. */
    record Answer(String head, String body) {

        int status() {
            return Integer.parseInt(head.substring(9, 12));
        }

        String header(String name) {
            for (String line : head.split("\r\n")) {
                if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ':')) {
                    return line.substring(name.length() + 1).trim();
                }
            }
            return "";
        }
    }

    private final Socket socket;
    private final InputStream in;

    WireClient(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(10_000);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Answer post(int port, String path, String body, String... headerLines) throws IOException {
        try (WireClient client = new WireClient(port)) {
            return client.sendPost(path, body, headerLines).answer();
        }
    }

    static Answer get(int port, String path) throws IOException {
        try (WireClient client = new WireClient(port)) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n").answer();
        }
    }

    WireClient sendPost(String path, String body, String... headerLines) throws IOException {
        StringBuilder head = new StringBuilder("POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n");
        for (String line : headerLines) {
            head.append(line).append("\r\n");
        }
        return send(head.append("\r\n").append(body).toString());
    }

    WireClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Leaves with a RST. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    String readHead() throws IOException {
        return readThrough("\r\n\r\n");
    }

    /** Reads up to and with that ASCII text. */
    String readThrough(String end) throws IOException {
        StringBuilder read = new StringBuilder();
        int from;
        do {
            int next = in.read();
            if (next < 0) {
                throw new IOException("end after: " + read);
            }
            read.append((char) next);
            from = read.length() - end.length();
        } while (from < 0 || read.indexOf(end, from) < 0);
        return new String(read.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    Answer answer() throws IOException {
        String head = readHead();
        Answer bare = new Answer(head, "");
        if (bare.header("transfer-encoding").equals("chunked")) {
            return new Answer(head, readChunks());
        }
        String length = bare.header("content-length");
        return new Answer(head, new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8));
    }

    private String readChunks() throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            int size = Integer.parseInt(readThrough("\r\n").trim(), 16);
            String data = new String(in.readNBytes(size), StandardCharsets.UTF_8);
            readThrough("\r\n");
            if (size == 0) {
                return body.toString();
            }
            body.append(data);
        }
    }

    /** Everything up to the server's FIN. */
    String readToEnd() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
