package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A session in a channel without a socket, and a listener that writes down what it hears. One thread. */
final class SessionHarness implements SessionListener {

    final EmbeddedChannel channel = new EmbeddedChannel();
    final Http2Session session;
    final List<String> events = new ArrayList<>();
    final Map<Integer, SessionStream> streams = new HashMap<>();
    final Map<Integer, Integer> ends = new HashMap<>();
    Consumer<SessionStream> onHead = stream -> { };
    Consumer<SessionStream> onClosed = stream -> { };
    boolean consuming = true;
    long written;
    /** The channel keeps what is written: the peer does not read. */
    boolean stuck;
    boolean keeping;
    final Queue<ByteBuf> kept = new ArrayDeque<>();
    @Nullable Throwable failure;

    SessionHarness(boolean server) {
        this(server, 100, 1 << 20);
    }

    SessionHarness(boolean server, int maxStreams, int highWater) {
        SessionOptions options = new SessionOptions(maxStreams, SessionOptions.DEFAULT_WINDOW, 1 << 20, 8 << 10, 100,
                (name, value) -> false, System::nanoTime);
        session = server ? Http2Session.server(options, this) : Http2Session.client(options, this);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(highWater / 2, highWater));
        channel.pipeline().addLast(new Gate(), session);
        channel.runPendingTasks();
    }

    private final class Gate extends ChannelOutboundHandlerAdapter {

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (!stuck) {
                ctx.flush();
            }
        }
    }

    /** A server whose client has sent preface and these settings, and that has answered them. */
    static SessionHarness server(long... settings) {
        SessionHarness harness = new SessionHarness(true);
        harness.feed(WireFrame.PREFACE).feed(WireFrame.settings(settings));
        harness.sent();
        return harness;
    }

    static SessionHarness client(long... settings) {
        SessionHarness harness = new SessionHarness(false, 0, 1 << 20);
        harness.feed(WireFrame.settings(settings));
        harness.wire().release();
        return harness;
    }

    SessionHarness feed(WireFrame... frames) {
        return feed(WireFrame.wire(frames));
    }

    SessionHarness feed(byte[] bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
        channel.runPendingTasks();
        return this;
    }

    /** Ends the turn. */
    SessionHarness turn() {
        channel.runPendingTasks();
        return this;
    }

    /** The buffers that went out, in one. */
    ByteBuf wire() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            all.writeBytes(part);
            part.release();
        }
        return all;
    }

    List<WireFrame> sent() {
        return WireFrame.parse(wire());
    }

    SessionStream stream(int id) {
        return streams.get(id);
    }

    static Http2Headers head(String status) {
        return new DefaultHttp2Headers(false).status(status);
    }

    static ByteBuf bytes(int count) {
        byte[] pattern = new byte[count];
        IntStream.range(0, count).forEach(i -> pattern[i] = (byte) i);
        return Unpooled.wrappedBuffer(pattern);
    }

    void close() {
        channel.close();
        channel.runPendingTasks();
        channel.finishAndReleaseAll();
    }

    @Override
    public void onHead(SessionStream stream, Http2Headers head, boolean last) {
        streams.put(stream.id(), stream);
        events.add("head " + stream.id() + " " + (head.path() == null ? head.status() : head.path()) + (last ? " last" : ""));
        onHead.accept(stream);
    }

    @Override
    public void onData(SessionStream stream, ByteBuf data, boolean last) {
        events.add("data " + stream.id() + " " + data.readableBytes() + (last ? " last" : ""));
        if (consuming) {
            session.consume(stream, data.readableBytes());
        }
        if (keeping) {
            kept.add(data);
        } else {
            data.release();
        }
    }

    @Override
    public void onTrailers(SessionStream stream, Http2Headers trailers) {
        events.add("trailers " + stream.id() + " " + trailers.size());
    }

    @Override
    public void onReset(SessionStream stream, long errorCode) {
        events.add("reset " + stream.id() + " " + errorCode);
    }

    @Override
    public void onStreamError(SessionStream stream, Http2Error error) {
        events.add("error " + stream.id() + " " + error);
    }

    @Override
    public void onClosed(SessionStream stream) {
        ends.merge(stream.id(), 1, Integer::sum);
        onClosed.accept(stream);
    }

    @Override
    public void onWritten(SessionStream stream, int bytes) {
        written += bytes;
    }

    @Override
    public void onGoAway(int lastStreamId, long errorCode) {
        events.add("goaway " + lastStreamId);
    }

    @Override
    public void onPingAck(long data) {
        events.add("pong " + data);
    }

    @Override
    public void onConnectionError(Throwable cause, @Nullable Http2Exception error) {
        if (failure != null) {
            throw new AssertionError("told twice", cause);
        }
        failure = cause;
    }
}
