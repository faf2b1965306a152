package io.penstock.proxy.testkit;

import static io.penstock.proxy.testkit.Http2Frame.ACK;
import static io.penstock.proxy.testkit.Http2Frame.CONTINUATION;
import static io.penstock.proxy.testkit.Http2Frame.DATA;
import static io.penstock.proxy.testkit.Http2Frame.END_HEADERS;
import static io.penstock.proxy.testkit.Http2Frame.END_STREAM;
import static io.penstock.proxy.testkit.Http2Frame.GOAWAY;
import static io.penstock.proxy.testkit.Http2Frame.HEADERS;
import static io.penstock.proxy.testkit.Http2Frame.PADDED;
import static io.penstock.proxy.testkit.Http2Frame.PING;
import static io.penstock.proxy.testkit.Http2Frame.PRIORITY_FLAG;
import static io.penstock.proxy.testkit.Http2Frame.RST_STREAM;
import static io.penstock.proxy.testkit.Http2Frame.SETTINGS;
import static io.penstock.proxy.testkit.Http2Frame.WINDOW_UPDATE;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An h2c backend that sends exactly the frames its script says, right or wrong, and shows every frame it gets; one thread a connection. Its
 * own methods may be called from any thread.
 */
public final class Http2RawBackend implements Closeable {

    private static final int MAX_FRAME = 16_384;

    /** What one connection does; it is closed at the end. */
    public interface Script {
        void run(Peer peer) throws IOException;
    }

    private final ServerSocket server;
    private final Script script;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();

    public Http2RawBackend(Script script) throws IOException {
        this.server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        this.script = script;
        start(this::accept);
    }

    /** Answers every request, once it is complete, with 200 and this body. */
    public static Http2RawBackend answering(String body) throws IOException {
        return new Http2RawBackend(peer -> {
            peer.greet();
            for (Http2Frame frame = peer.next(); frame != null; frame = peer.next()) {
                if (frame.ends()) {
                    peer.answer(frame.stream(), body);
                }
            }
        });
    }

    public int port() {
        return server.getLocalPort();
    }

    /** HTTP/2 connections so far; a connection that sends no preface, such as that of the metrics scraper, is none. */
    public int accepted() {
        return accepted.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
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
            script.run(new Peer(socket, accepted));
        } catch (IOException ignored) {
            // The proxy has closed the connection, which the test sees elsewhere.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "http2-raw-backend");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Closes every connection with RST; the backend goes on accepting. */
    public void kill() throws IOException {
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0);
            } catch (SocketException ignored) {
                // Its script has just ended, and closed it.
            }
            socket.close();
        }
    }

    /** The backend's end of one connection. Reads on its own thread only; may write from another one. */
    public static final class Peer {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private final HeaderBlock hpack = new HeaderBlock();
        private final List<Http2Frame> received = new ArrayList<>();
        private boolean answersPings = true;
        private boolean answersSettings = true;
        private boolean givesCredit = true;

        private final AtomicInteger accepted;
        private int number = -1;

        Peer(Socket socket, AtomicInteger accepted) throws IOException {
            this.socket = socket;
            this.accepted = accepted;
            this.in = new BufferedInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        /** Leaves PINGs unanswered. */
        public Peer noPingAck() {
            answersPings = false;
            return this;
        }

        /** Answers nothing by itself. */
        public Peer silent() {
            answersPings = false;
            answersSettings = false;
            givesCredit = false;
            return this;
        }

        /** Gives no credit back for DATA. */
        public Peer noWindowUpdates() {
            givesCredit = false;
            return this;
        }

        /** Reads the preface; false where something else came. */
        public boolean preface() throws IOException {
            boolean right = Arrays.equals(in.readNBytes(Http2RawClient.PREFACE.length), Http2RawClient.PREFACE);
            if (right) {
                number = accepted.getAndIncrement();
            }
            return right;
        }

        /** Which HTTP/2 connection this is, from 0; -1 before the preface. */
        public int number() {
            return number;
        }

        /** Reads the preface and sends SETTINGS: identifier, value, identifier, value. */
        public Peer greet(int... settings) throws IOException {
            if (!preface()) {
                throw new IOException("no preface");
            }
            settings(settings);
            return this;
        }

        /** The next frame with its whole header block, answered where that is due; null at the end. */
        public @Nullable Http2Frame next() throws IOException {
            Http2Frame frame = readWire();
            if (frame == null) {
                return null;
            }
            if (frame.type() == HEADERS) {
                frame = withBlock(frame);
            }
            received.add(frame);
            if (frame.type() == SETTINGS && !frame.has(ACK) && answersSettings) {
                frame(SETTINGS, ACK, 0, new byte[0]);
            } else if (frame.type() == PING && !frame.has(ACK) && answersPings) {
                frame(PING, ACK, 0, frame.payload());
            } else if (frame.type() == DATA && givesCredit && frame.payload().length > 0) {
                windowUpdate(0, frame.payload().length);
                if (!frame.ends()) {
                    windowUpdate(frame.stream(), frame.payload().length);
                }
            }
            return frame;
        }

        /** The next frame of a type; those before it are skipped. */
        public Http2Frame await(int type) throws IOException {
            for (Http2Frame frame = next(); frame != null; frame = next()) {
                if (frame.type() == type) {
                    return frame;
                }
            }
            throw new IOException("no frame of type " + type);
        }

        /** Reads until the END_STREAM of a request and returns its stream. */
        public int request() throws IOException {
            for (Http2Frame frame = next(); frame != null; frame = next()) {
                if (frame.ends()) {
                    return frame.stream();
                }
            }
            throw new IOException("no request");
        }

        /** Reads until the proxy closes. */
        public void drain() throws IOException {
            for (Http2Frame frame = next(); frame != null; frame = next()) {
                continue;
            }
        }

        /** Every frame read so far of one kind on one stream. */
        public List<Http2Frame> frames(int type, int stream) {
            return received.stream().filter(frame -> frame.is(type, stream)).toList();
        }

        /** A request's body as read so far. */
        public byte[] body(int stream) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            frames(DATA, stream).forEach(frame -> body.writeBytes(frame.content()));
            return body.toByteArray();
        }

        /** 200 with this body. */
        public void answer(int stream, String body) throws IOException {
            headers(stream, false, ":status", "200");
            data(stream, body, true);
        }

        /** A header block in this order: name, value, name, value; with CONTINUATION where it is too long for one frame. */
        public void headers(int stream, boolean last, String... headers) throws IOException {
            byte[] block = HeaderBlock.encode(Header.list(headers));
            int first = Math.min(MAX_FRAME, block.length);
            frame(HEADERS, (last ? END_STREAM : 0) | (first == block.length ? END_HEADERS : 0), stream, Arrays.copyOf(block, first));
            for (int at = first; at < block.length; at += MAX_FRAME) {
                int end = Math.min(at + MAX_FRAME, block.length);
                frame(CONTINUATION, end == block.length ? END_HEADERS : 0, stream, Arrays.copyOfRange(block, at, end));
            }
        }

        public void data(int stream, String body, boolean last) throws IOException {
            data(stream, body.getBytes(StandardCharsets.ISO_8859_1), last);
        }

        /** DATA frames, whatever the windows say. */
        public void data(int stream, byte[] body, boolean last) throws IOException {
            int at = 0;
            do {
                int end = Math.min(body.length, at + MAX_FRAME);
                frame(DATA, last && end == body.length ? END_STREAM : 0, stream, Arrays.copyOfRange(body, at, end));
                at = end;
            } while (at < body.length);
        }

        public void settings(int... pairs) throws IOException {
            ByteBuffer payload = ByteBuffer.allocate(pairs.length * 3);
            for (int i = 0; i < pairs.length; i += 2) {
                payload.putShort((short) pairs[i]).putInt(pairs[i + 1]);
            }
            frame(SETTINGS, 0, 0, payload.array());
        }

        public void reset(int stream, int errorCode) throws IOException {
            frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(errorCode).array());
        }

        public void goAway(int lastStream, int errorCode) throws IOException {
            frame(GOAWAY, 0, 0, ByteBuffer.allocate(8).putInt(lastStream).putInt(errorCode).array());
        }

        public void ping() throws IOException {
            frame(PING, 0, 0, new byte[8]);
        }

        public void windowUpdate(int stream, int increment) throws IOException {
            frame(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(increment).array());
        }

        /** Any frame. */
        public void frame(int type, int flags, int stream, byte[] payload) throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
            int length = payload.length;
            frame.put((byte) (length >>> 16)).putShort((short) length).put((byte) type).put((byte) flags).putInt(stream).put(payload);
            bytes(frame.array());
        }

        /** Any bytes. */
        public synchronized void bytes(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        /** Closes with RST. */
        public void kill() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        public void close() throws IOException {
            socket.close();
        }

        private @Nullable Http2Frame readWire() throws IOException {
            byte[] head = in.readNBytes(9);
            if (head.length < 9) {
                return null;
            }
            ByteBuffer parts = ByteBuffer.wrap(head);
            int length = (parts.get() & 0xff) << 16 | parts.getShort() & 0xffff;
            int type = parts.get() & 0xff;
            int flags = parts.get() & 0xff;
            int stream = parts.getInt() & 0x7fff_ffff;
            byte[] payload = in.readNBytes(length);
            return payload.length < length ? null : new Http2Frame(type, flags, stream, payload, List.of());
        }

        private Http2Frame withBlock(Http2Frame first) throws IOException {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            int from = (first.has(PADDED) ? 1 : 0) + (first.has(PRIORITY_FLAG) ? 5 : 0);
            int padding = first.has(PADDED) ? first.payload()[0] & 0xff : 0;
            block.write(first.payload(), from, first.payload().length - from - padding);
            boolean whole = first.has(END_HEADERS);
            while (!whole) {
                Http2Frame more = readWire();
                if (more == null) {
                    throw new IOException("a header block without its end");
                }
                block.writeBytes(more.payload());
                whole = more.has(END_HEADERS);
            }
            List<Header> headers = hpack.decode(first.stream(), block.toByteArray());
            return new Http2Frame(first.type(), first.flags(), first.stream(), first.payload(), headers);
        }
    }
}
