package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.http2.Abuse;
import io.penstock.proxy.http2.Http2Session;
import io.penstock.proxy.http2.SessionOptions;
import io.penstock.proxy.http2.SessionStream;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.RequestIds;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client's HTTP/2 connection: its session, its time limits and its end. Used on the connection's event loop.
 */
final class Http2Downstream implements ProtocolHandler {

    static final String NAME = "HTTP/2";

    private static final int EXPANDED_WINDOW = 256 << 10;
    private static final int CONNECTION_WINDOW = 1 << 20;

    private final ClientConnection client;
    private final Http2Session session;
    private final Http2Streams streams;
    private boolean lastGoAwaySent;
    private long completeAt;

    Http2Downstream(ClientConnection client) {
        this.client = client;
        Edge edge = client.edge();
        streams = new Http2Streams(this);
        session = Http2Session.server(new SessionOptions(edge.limits().maxConcurrentStreams(), SessionOptions.DEFAULT_WINDOW,
                CONNECTION_WINDOW, edge.limits().maxHeaderBytes(), edge.limits().maxHeaders(), RequestIds::neverIndexed, edge.clock()),
                streams);
        completeAt = edge.clock().getAsLong();
    }

    /** What stands in the pipeline. */
    ChannelHandler handler() {
        return session;
    }

    Http2Session session() {
        return session;
    }

    ClientConnection client() {
        return client;
    }

    private Channel channel() {
        return client.channel();
    }

    // --- out ---

    void writeHeaders(SessionStream stream, Http2Headers head, boolean last) {
        session.writeHeaders(stream, head, last);
    }

    void writeData(SessionStream stream, ByteBuf data, boolean last) {
        session.writeData(stream, data, last);
    }

    void reset(SessionStream stream, Http2Error error) {
        session.reset(stream, error);
    }

    void returnCredit(SessionStream stream, int bytes) {
        session.consume(stream, bytes);
    }

    void expandWindow(SessionStream stream) {
        session.expandWindow(stream, EXPANDED_WINDOW);
    }

    // --- errors ---

    void prematureReset(long ageNanos) throws Http2Exception {
        session.prematureReset(ageNanos);
    }

    /** The connection ends for this. */
    void count(Throwable cause, @Nullable Http2Exception error) {
        Abuse abuse = Abuse.of(error);
        ConnectionFault fault = error == null ? ConnectionFault.INTERNAL_ERROR : ConnectionFault.PROTOCOL_ERROR;
        if (abuse != null) {
            client.edge().events().abuse(abuse);
            fault = ConnectionFault.ABUSE;
        }
        client.edge().events().fault(fault);
        String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        client.edge().log().warn("closing the HTTP/2 connection of " + client.peer() + ": " + reason);
    }

    /** A handler threw: this request cannot go on, the others can. */
    void failed(Http2Exchange exchange, RuntimeException cause) {
        client.edge().events().fault(ConnectionFault.INTERNAL_ERROR);
        Http2Streams.LOGGER.error("a request handler failed", cause);
        exchange.abort(Http2Error.INTERNAL_ERROR, ClientGone.RESET);
    }

    // --- time and end ---

    @Override
    public void tick(long now) {
        EdgeTimings timings = client.edge().timings();
        streams.resetStalled(now, timings.writeStall());
        if (!session.blockBegun() && session.prefaceReceived()) {
            completeAt = now;
        } else if (now - completeAt >= timings.headers()) {
            client.fail(ConnectionFault.HEADERS_TIMEOUT, "the first SETTINGS or a header block did not come to its end");
            return;
        }
        if (streams.idleSince(now) >= timings.idle()) {
            client.edge().events().fault(ConnectionFault.IDLE_TIMEOUT);
            goAwayNow();
        }
    }

    @Override
    public void startDrain(Duration grace) {
        if (session.goAwaySent()) {
            return;
        }
        session.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR);
        session.flush();
        channel().eventLoop().schedule(this::goAwayNow, grace.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The last GOAWAY: new streams are refused from now on, and the connection closes when it has none. */
    private void goAwayNow() {
        if (lastGoAwaySent || !channel().isActive()) {
            return;
        }
        lastGoAwaySent = true;
        session.goAway(session.lastPeerStream(), Http2Error.NO_ERROR);
        session.flush();
        closeIfDrained();
    }

    /** Called whenever a stream has closed. */
    void closeIfDrained() {
        if (!lastGoAwaySent || session.activeStreams() > 0) {
            return;
        }
        client.lingerOnClose();
        channel().eventLoop().execute(() -> {
            session.flush();
            close();
        });
    }

    private void close() {
        channel().close();
    }

    @Override
    public int closeNow() {
        // Answers of this very turn, such as the refusal of what waited, go out whole and are no resets.
        session.flush();
        int reset = streams.shutDown();
        if (!lastGoAwaySent) {
            goAwayNow();
        }
        session.flush();
        client.lingerOnClose();
        close();
        return reset;
    }

    @Override
    public void stalled() {
        streams.allGone(ClientGone.DISCONNECTED);
    }
}
