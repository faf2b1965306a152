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

import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 client that sends exactly the frames it is told to, right or wrong, and shows every frame it gets. Nothing happens behind the
 * test's back: frames are read, acknowledged and given credit for only inside a call that waits for something, so a client that is not
 * asked for anything is a client that does not read. One thread.
 */
public final class Http2RawClient implements AutoCloseable {

    /** The client preface (RFC 9113 section 3.4). */
    public static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** The window that a stream and the connection begin with, in bytes. */
    public static final int DEFAULT_WINDOW = 65_535;

    private static final int MAX_FRAME = 16_384;
    private static final int INITIAL_WINDOW = 4;

    private final Options options;
    private final RawSocket socket;
    private final HeaderBlock hpack = new HeaderBlock();
    private final List<Http2Frame> received = new ArrayList<>();
    private final Map<Integer, Long> sendWindows = new HashMap<>();
    private long connectionSendWindow = DEFAULT_WINDOW;
    private long initialSendWindow = DEFAULT_WINDOW;
    private int nextStream = 1;
    private long pings;
    private boolean ended;

    private Http2RawClient(Options options, RawSocket socket) {
        this.options = options;
        this.socket = socket;
    }

    /** Connects in plain text and sends the preface and empty SETTINGS. */
    public static Http2RawClient connect(int port) {
        return to(port).open();
    }

    /** How to connect to a port of 127.0.0.1. */
    public static Options to(int port) {
        return new Options(port);
    }

    // What goes out. None of these calls reads, except body().

    /** Any bytes. */
    public void bytes(byte[] bytes) {
        socket.write(bytes);
    }

    /** Any frame. */
    public void frame(int type, int flags, int stream, byte[] payload) {
        frame(payload.length, type, flags, stream, payload);
    }

    /** A frame that lies about its length. */
    public void frame(int claimedLength, int type, int flags, int stream, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.put((byte) (claimedLength >>> 16)).putShort((short) claimedLength).put((byte) type).put((byte) flags).putInt(stream);
        socket.write(frame.put(payload).array());
    }

    /** A request without a body; returns its stream. */
    public int request(String... headers) {
        int stream = newStream();
        headers(stream, true, Header.list(headers));
        return stream;
    }

    /** A request whose body fits the windows; returns its stream. */
    public int request(byte[] body, String... headers) {
        int stream = open(headers);
        body(stream, body, true);
        return stream;
    }

    /** A request's head with a body to come; returns its stream. */
    public int open(String... headers) {
        int stream = newStream();
        headers(stream, false, Header.list(headers));
        return stream;
    }

    /** The next free stream of this side. */
    public int newStream() {
        int stream = nextStream;
        nextStream += 2;
        return stream;
    }

    /** A header block in this order, with CONTINUATION where it is too long for one frame. */
    public void headers(int stream, boolean last, List<Header> headers) {
        byte[] block = HeaderBlock.encode(headers);
        int first = Math.min(MAX_FRAME, block.length);
        int flags = (last ? END_STREAM : 0) | (first == block.length ? END_HEADERS : 0);
        frame(HEADERS, flags, stream, Arrays.copyOf(block, first));
        for (int at = first; at < block.length; at += MAX_FRAME) {
            int end = Math.min(at + MAX_FRAME, block.length);
            frame(CONTINUATION, end == block.length ? END_HEADERS : 0, stream, Arrays.copyOfRange(block, at, end));
        }
    }

    /** One DATA frame, whatever the windows say. */
    public void data(int stream, byte[] bytes, boolean last) {
        sendWindows.merge(stream, initialSendWindow - bytes.length, (window, fresh) -> window - bytes.length);
        connectionSendWindow -= bytes.length;
        frame(DATA, last ? END_STREAM : 0, stream, bytes);
    }

    /** DATA frames as the windows allow, reading frames until they do. */
    public void body(int stream, byte[] bytes, boolean last) {
        int at = 0;
        do {
            while (at < bytes.length && credit(stream) <= 0) {
                readOrFail("credit for stream " + stream);
            }
            int end = (int) Math.min(bytes.length, at + Math.min(MAX_FRAME, Math.max(0, credit(stream))));
            data(stream, Arrays.copyOfRange(bytes, at, end), last && end == bytes.length);
            at = end;
        } while (at < bytes.length);
    }

    /** How many bytes the server lets this client send on a stream, by the frames read so far. */
    public long credit(int stream) {
        return Math.min(connectionSendWindow, sendWindows.getOrDefault(stream, initialSendWindow));
    }

    /** SETTINGS with identifier, value, identifier, value. */
    public void settings(int... pairs) {
        ByteBuffer payload = ByteBuffer.allocate(pairs.length * 3);
        for (int i = 0; i < pairs.length; i += 2) {
            payload.putShort((short) pairs[i]).putInt(pairs[i + 1]);
        }
        frame(SETTINGS, 0, 0, payload.array());
    }

    public void windowUpdate(int stream, int increment) {
        frame(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(increment).array());
    }

    public void reset(int stream, int errorCode) {
        frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(errorCode).array());
    }

    public void goAway(int lastStream, int errorCode) {
        frame(GOAWAY, 0, 0, ByteBuffer.allocate(8).putInt(lastStream).putInt(errorCode).array());
    }

    public void ping(long content) {
        frame(PING, 0, 0, ByteBuffer.allocate(8).putLong(content).array());
    }

    /** FIN; reading goes on. */
    public void halfClose() {
        socket.halfClose();
    }

    /** Ends the connection with TCP RST. */
    public void abort() {
        socket.reset();
    }

    // What comes in.

    /** Everything read so far, in order. */
    public List<Http2Frame> frames() {
        return List.copyOf(received);
    }

    /** Everything read so far of one kind on one stream. */
    public List<Http2Frame> frames(int type, int stream) {
        return received.stream().filter(f -> f.is(type, stream)).toList();
    }

    /** The first such frame, read before or still to come. */
    public Http2Frame await(int type, int stream) {
        return await("frame type " + type + " on stream " + stream, f -> f.is(type, stream));
    }

    /** The first frame that matches, read before or still to come. */
    public Http2Frame await(String what, Predicate<Http2Frame> matches) {
        for (Http2Frame frame : received) {
            if (matches.test(frame)) {
                return frame;
            }
        }
        while (true) {
            Http2Frame frame = readOrFail(what);
            if (matches.test(frame)) {
                return frame;
            }
        }
    }

    /** The next frame, or null when the server closed the connection. */
    public @Nullable Http2Frame next() {
        return read();
    }

    /** The final head of a response; fails when the stream is reset instead. */
    public List<Header> responseHeaders(int stream) {
        Http2Frame frame = await("response headers on stream " + stream,
                f -> f.is(RST_STREAM, stream) || f.is(HEADERS, stream) && !isInformational(f.headers()));
        if (frame.type() == RST_STREAM) {
            throw new AssertionError("response headers on stream " + stream + ": got " + frame);
        }
        return frame.headers();
    }

    /** Waits until the response has ended, with END_STREAM or RST_STREAM. */
    public Http2Response response(int stream) {
        Http2Frame last = await("end of stream " + stream, f -> f.stream() == stream && (f.ends() || f.type() == RST_STREAM));
        List<List<Header>> informational = new ArrayList<>();
        List<Header> head = List.of();
        List<Header> trailers = List.of();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (Http2Frame frame : frames(HEADERS, stream)) {
            if (isInformational(frame.headers())) {
                informational.add(frame.headers());
            } else if (head.isEmpty()) {
                head = frame.headers();
            } else {
                trailers = frame.headers();
            }
        }
        frames(DATA, stream).forEach(frame -> body.writeBytes(frame.content()));
        return new Http2Response(informational, head, body.toByteArray(), trailers, last.type() == RST_STREAM ? last.errorCode() : -1);
    }

    private static boolean isInformational(List<Header> headers) {
        return Header.first(headers, ":status").filter(status -> status.startsWith("1")).isPresent();
    }

    /**
     * Waits until the server has answered two PINGs, one after the other: all that it could send because of what this client sent has then
     * been read here. One is not enough, since a server may answer it before it does what it leaves for the end of the same read.
     */
    public void roundTrip() {
        for (int i = 0; i < 2; i++) {
            long content = 0x7065_6e73_0000_0000L + ++pings;
            ping(content);
            await("PING ack", f -> f.is(PING, 0) && f.has(ACK) && ByteBuffer.wrap(f.payload()).getLong() == content);
        }
    }

    /** Reads until the server has closed the connection. */
    public void awaitClosed() {
        while (read() != null) {
            // Every frame is kept by read().
            continue;
        }
    }

    /** Waits for GOAWAY. */
    public Http2Frame awaitGoAway() {
        return await(GOAWAY, 0);
    }

    /** What ALPN chose; empty on a plain connection. */
    public String applicationProtocol() {
        return socket.applicationProtocol();
    }

    private Http2Frame readOrFail(String what) {
        Http2Frame frame = read();
        if (frame == null) {
            throw new AssertionError(what + ": the connection was closed; received " + received);
        }
        return frame;
    }

    private @Nullable Http2Frame read() {
        Http2Frame frame = readWire();
        if (frame == null) {
            return null;
        }
        if (frame.type() == HEADERS) {
            frame = withBlock(frame);
        }
        received.add(frame);
        react(frame);
        return frame;
    }

    private @Nullable Http2Frame readWire() {
        byte[] head;
        try {
            head = ended ? new byte[0] : socket.read(9);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; received " + received, e);
        }
        if (head.length < 9) {
            ended = true;
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(head);
        int length = (in.get() & 0xff) << 16 | in.getShort() & 0xffff;
        int type = in.get() & 0xff;
        int flags = in.get() & 0xff;
        int stream = in.getInt() & 0x7fff_ffff;
        byte[] payload = socket.read(length);
        ended = payload.length < length;
        return ended ? null : new Http2Frame(type, flags, stream, payload, List.of());
    }

    private Http2Frame withBlock(Http2Frame first) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        int from = (first.has(PADDED) ? 1 : 0) + (first.has(PRIORITY_FLAG) ? 5 : 0);
        int padding = first.has(PADDED) ? first.payload()[0] & 0xff : 0;
        block.write(first.payload(), from, first.payload().length - from - padding);
        boolean whole = first.has(END_HEADERS);
        while (!whole) {
            Http2Frame more = readWire();
            if (more == null || !more.is(CONTINUATION, first.stream())) {
                throw new AssertionError("CONTINUATION on stream " + first.stream() + ": got " + more);
            }
            block.writeBytes(more.payload());
            whole = more.has(END_HEADERS);
        }
        List<Header> headers = hpack.decode(first.stream(), block.toByteArray());
        return new Http2Frame(first.type(), first.flags(), first.stream(), first.payload(), headers);
    }

    private void react(Http2Frame frame) {
        switch (frame.type()) {
            case SETTINGS -> onSettings(frame);
            case WINDOW_UPDATE -> onWindowUpdate(frame);
            case PING -> {
                if (options.pingAck && !frame.has(ACK)) {
                    reply(() -> frame(PING, ACK, 0, frame.payload()));
                }
            }
            case DATA -> {
                if (options.windowUpdates && frame.payload().length > 0) {
                    reply(() -> windowUpdate(0, frame.payload().length));
                    if (!frame.ends()) {
                        reply(() -> windowUpdate(frame.stream(), frame.payload().length));
                    }
                }
            }
            default -> {
            }
        }
    }

    private void onSettings(Http2Frame frame) {
        if (frame.has(ACK)) {
            return;
        }
        long initial = frame.setting(INITIAL_WINDOW).orElse(initialSendWindow);
        long change = initial - initialSendWindow;
        initialSendWindow = initial;
        sendWindows.replaceAll((stream, window) -> window + change);
        if (options.settingsAck) {
            reply(() -> frame(SETTINGS, ACK, 0, new byte[0]));
        }
    }

    /** A server that has closed may still have frames to be read. */
    private static void reply(Runnable write) {
        try {
            write.run();
        } catch (UncheckedIOException ignored) {
            // The next read finds the end.
        }
    }

    private void onWindowUpdate(Http2Frame frame) {
        if (frame.stream() == 0) {
            connectionSendWindow += frame.increment();
        } else {
            sendWindows.merge(frame.stream(), initialSendWindow + frame.increment(), (window, fresh) -> window + frame.increment());
        }
    }

    @Override
    public void close() {
        socket.close();
    }

    /** How a client connects and what it does by itself. */
    public static final class Options {

        private final int port;
        private Duration timeout = Duration.ofSeconds(10);
        private int receiveBuffer;
        private @Nullable SSLContext tls;
        private String[] alpn = {"h2"};
        private int[] settings = {};
        private boolean preface = true;
        private boolean settingsAck = true;
        private boolean pingAck = true;
        private boolean windowUpdates = true;

        private Options(int port) {
            this.port = port;
        }

        /** TLS with any server certificate, {@code h2} by ALPN. */
        public Options tls() {
            return tls(TestTls.trustingClient(), "h2");
        }

        /** TLS with that context and those protocols offered. */
        public Options tls(SSLContext context, String... protocols) {
            tls = context;
            alpn = protocols.clone();
            return this;
        }

        /** How long each read waits before the test fails; 10 s by default. */
        public Options timeout(Duration limit) {
            timeout = limit;
            return this;
        }

        /** SO_RCVBUF in bytes, to make a client that soon stops taking bytes. */
        public Options receiveBuffer(int bytes) {
            receiveBuffer = bytes;
            return this;
        }

        /** Settings of the first SETTINGS frame: identifier, value, identifier, value. */
        public Options settings(int... pairs) {
            settings = pairs.clone();
            return this;
        }

        /** SETTINGS_INITIAL_WINDOW_SIZE: what the server may send per stream before it has to wait. */
        public Options initialWindow(int bytes) {
            return settings(INITIAL_WINDOW, bytes);
        }

        /** Sends neither preface nor SETTINGS. */
        public Options noPreface() {
            preface = false;
            return this;
        }

        /** Leaves the server's SETTINGS unacknowledged. */
        public Options noSettingsAck() {
            settingsAck = false;
            return this;
        }

        /** Leaves the server's PINGs unanswered. */
        public Options noPingAck() {
            pingAck = false;
            return this;
        }

        /** Gives no credit back for DATA: the test does, with {@link Http2RawClient#windowUpdate}. */
        public Options noWindowUpdates() {
            windowUpdates = false;
            return this;
        }

        /** Connects. */
        public Http2RawClient open() {
            Http2RawClient client = new Http2RawClient(this, RawSocket.connect(port, timeout, receiveBuffer, tls, alpn));
            if (preface) {
                client.bytes(PREFACE);
                client.settings(settings);
            }
            return client;
        }
    }
}
