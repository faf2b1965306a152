package io.penstock.proxy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The requests of a rehearsal, over sockets and in plain bytes, so that of a client nothing is loaded: the operator ports, HTTP/1.1, then
 * cleartext HTTP/2 (RFC 9113) one stream after the other. Anything but success is an error. One thread.
 */
final class Rehearsal {

    /** Enough for the profile of a plain request that an AOT cache keeps; less than a second. */
    private static final int STREAMS = 500;
    private static final int PATIENCE_MILLIS = 10_000;
    private static final byte[] BODY =
            "{\"model\":\"m\",\"prompt\":\"Say something.\",\"max_tokens\":8}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int ACK = 1;
    private static final int END_HEADERS = 4;
    /** HPACK: entry 8 of the static table is {@code :status: 200}. */
    private static final int STATUS_200 = 0x88;

    private final Proxy proxy;

    Rehearsal(Proxy proxy) {
        this.proxy = proxy;
    }

    void play() throws IOException {
        for (String path : new String[] {"/ready", "/live", "/bands", "/endpoints"}) {
            http1(proxy.adminAddress(), "GET " + path, new byte[0]);
        }
        http1(proxy.metricsAddress(), "GET /metrics", new byte[0]);
        InetSocketAddress listener = proxy.addresses().values().iterator().next();
        for (int i = 0; i < 20; i++) {
            http1(listener, "POST /v1/completions", BODY);
        }
        http2(listener);
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void http1(InetSocketAddress address, String line, byte[] body) throws IOException {
        try (Socket socket = connect(address)) {
            String head = line + " HTTP/1.1\r\nHost: rehearsal\r\nContent-Type: application/json\r\nContent-Length: " + body.length
                    + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(join(head.getBytes(StandardCharsets.US_ASCII), body));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!answer.startsWith("HTTP/1.1 200 ")) {
                throw new IOException(line + ": " + answer.lines().findFirst().orElse("no answer") + " (expected: 200)");
            }
        }
    }

    private static void http2(InetSocketAddress address) throws IOException {
        try (Socket socket = connect(address)) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(PREFACE);
            frame(out, SETTINGS, 0, 0, new byte[0]);
            frame(out, WINDOW_UPDATE, 0, 0, new byte[] {0x3f, 0, 0, 0});
            byte[] head = head();
            for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
                frame(out, HEADERS, END_HEADERS, stream, head);
                frame(out, DATA, END_STREAM, stream, BODY);
                out.writeTo(socket.getOutputStream());
                out.reset();
                answer(in, out, stream);
            }
        }
    }

    /** HPACK without the dynamic table: indexed fields, and literals with an indexed or a literal name. */
    private static byte[] head() throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(new byte[] {(byte) 0x83, (byte) 0x86, 4});
        text(block, "/v1/completions");
        block.write(1);
        text(block, "rehearsal");
        literal(block, "content-type", "application/json");
        literal(block, "content-length", Integer.toString(BODY.length));
        return block.toByteArray();
    }

    private static void literal(ByteArrayOutputStream block, String name, String value) throws IOException {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) throws IOException {
        block.write(text.length());
        block.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) throws IOException {
        DataOutputStream frame = new DataOutputStream(out);
        frame.writeInt(payload.length << 8 | type);
        frame.write(flags);
        frame.writeInt(stream);
        frame.write(payload);
    }

    /** Reads to the end of a stream; what must be said back goes to {@code out}, for the next write. */
    private static void answer(DataInputStream in, ByteArrayOutputStream out, int stream) throws IOException {
        boolean good = false;
        while (true) {
            int start = in.readInt();
            int type = start & 0xff;
            int flags = in.readUnsignedByte();
            int of = in.readInt();
            byte[] payload = in.readNBytes(start >>> 8);
            if (type == RST_STREAM || type == GOAWAY) {
                throw new IOException("stream " + stream + ": frame type " + type + " (expected: an answer)");
            }
            if (type == SETTINGS && (flags & ACK) == 0) {
                frame(out, SETTINGS, ACK, 0, new byte[0]);
            }
            if (of == stream && type == HEADERS) {
                good |= (payload[0] & 0xff) == STATUS_200;
            }
            if (of == stream && (type == HEADERS || type == DATA) && (flags & END_STREAM) != 0) {
                if (!good) {
                    throw new IOException("stream " + stream + ": no status 200");
                }
                return;
            }
        }
    }

    private static byte[] join(byte[] one, byte[] two) {
        byte[] both = Arrays.copyOf(one, one.length + two.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        return both;
    }
}
