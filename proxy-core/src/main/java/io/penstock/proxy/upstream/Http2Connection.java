package io.penstock.proxy.upstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.http2.Http2Session;
import io.penstock.proxy.http2.SessionStream;
import io.penstock.proxy.request.HeadTooLargeException;
import io.penstock.proxy.request.UpstreamFault.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/2 connection to a backend: how it comes up, which exchanges are on it, and how it ends. It counts as up once the backend's
 * first SETTINGS frame is here, which shows that it speaks HTTP/2 and how many requests it takes; exchanges that begin before wait for it.
 * First handler of its pipeline, before the session. Event loop only.
 */
final class Http2Connection extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(Http2Connection.class);

    private final Http2Connector owner;
    private final Http2Pool pool;
    private final Channel channel;
    private final Http2Session session;
    private final long connectStart;
    /** Exchanges whose request has not begun, in their order. */
    private final List<Http2Exchange> unsent = new ArrayList<>();
    /** Exchanges that are not over, unsent ones included. */
    private int running;
    private final UnreadResets resets = new UnreadResets();

    private boolean up;
    private @Nullable Future<?> settingsTimer;
    /** Takes no further exchanges, and closes when it has none. */
    private boolean draining;
    private boolean closing;
    private boolean gone;
    private Kind end = Kind.CLOSED;

    private long idleSince;
    /** Nothing has come in since it was idle, or since it was made. */
    private boolean silent = true;
    private boolean heard = true;
    private long heardAt;
    private long pingedAt;
    private boolean pinged;

    Http2Connection(Http2Connector owner, Http2Pool pool, Channel channel, long now) {
        this.owner = owner;
        this.pool = pool;
        this.channel = channel;
        this.connectStart = now;
        this.session = Http2Session.client(owner.sessionOptions(), new Http2Streams(this));
    }

    Http2Session session() {
        return session;
    }

    Endpoint endpoint() {
        return pool.endpoint();
    }

    /** For a request that names no host. */
    String authority() {
        return pool.endpoint().spec().authority();
    }

    // -- the connection's life

    void connect() {
        channel.pipeline().addLast(this, session);
        channel.closeFuture().addListener(closed -> gone());
        owner.connect(pool, channel, () -> !closing, this::connectDone);
    }

    private void connectDone(Future<?> result) {
        if (closing) {
            return;
        }
        if (!result.isSuccess()) {
            owner.connectFailed(pool, result.cause());
            breakOff(Kind.CONNECT);
        } else if (!up) {
            settingsTimer = channel.eventLoop().schedule(() -> notHttp2("no SETTINGS frame"), owner.connectNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void notHttp2(String why) {
        if (!up && !closing) {
            owner.notHttp2(pool, why);
            breakOff(Kind.CONNECT);
        }
    }

    void settings() {
        if (up || closing) {
            return;
        }
        up = true;
        cancelTimer();
        pool.learned(capacity());
        owner.opened(pool, connectStart);
        // A copy: each one leaves the list when it sends, or when it is given up meanwhile.
        List<Http2Exchange> waiting = List.copyOf(unsent);
        int room = capacity();
        for (int i = 0; i < waiting.size(); i++) {
            Http2Exchange exchange = waiting.get(i);
            if (exchange.over()) {
                continue;
            }
            if (i < room) {
                exchange.connected();
            } else {
                unsent.remove(exchange);
                running--;
                owner.move(exchange, pool);
            }
        }
        settle();
    }

    private void cancelTimer() {
        Future<?> timer = settingsTimer;
        if (timer != null) {
            timer.cancel(false);
            settingsTimer = null;
        }
    }

    /** No further exchanges; it closes when the last one is over. */
    void drain() {
        draining = true;
        settle();
    }

    /** Closes the connection; its exchanges fail. */
    void breakOff(Kind kind) {
        if (closing) {
            return;
        }
        end = kind;
        close();
        failUnsent(kind);
    }

    private void failUnsent(Kind kind) {
        // A copy: each one leaves the list.
        List.copyOf(unsent).forEach(exchange -> exchange.fail(kind));
    }

    /** Closes the connection with a GOAWAY, where there is somebody to read it. */
    void close() {
        if (closing) {
            return;
        }
        closing = true;
        cancelTimer();
        if (!channel.isRegistered()) {
            channel.unsafe().closeForcibly();
            gone();
            return;
        }
        if (channel.isActive() && !session.goAwaySent()) {
            session.goAway(session.lastPeerStream(), Http2Error.NO_ERROR);
            session.flush();
        }
        channel.close();
    }

    private void gone() {
        if (!gone) {
            gone = true;
            // The session has told the exchanges that have a stream.
            breakOff(up ? Kind.CLOSED : Kind.CONNECT);
            owner.gone(pool, pool.remove(this), up);
        }
    }

    // -- exchanges

    boolean up() {
        return up;
    }

    /** Whether one more exchange may begin. */
    boolean takes(boolean fresh) {
        if (draining || closing || running + resets.places() >= capacity()) {
            return false;
        }
        // A replay whose connection has just died does not want one that may be dead as well.
        return !up || session.canOpen() && !(fresh && (running == 0 || silent));
    }

    private int capacity() {
        return Math.min(Http2Connector.MAX_STREAMS, up ? session.peerMaxStreams() : pool.lastCapacity());
    }

    void begin(Http2Exchange exchange) {
        silent |= up && running == 0;
        running++;
        unsent.add(exchange);
        exchange.begin(this, up && silent);
    }

    /** Whether nothing has come in since the connection was idle. */
    boolean silent() {
        return silent;
    }

    /** @throws HeadTooLargeException when the backend's SETTINGS forbid a head of that size */
    void checkFits(Http2Headers head) {
        if (!session.fits(head)) {
            throw new HeadTooLargeException("The request's header fields are larger than the backend takes");
        }
    }

    /** Sends the head of an exchange's request; null when no stream can be opened any more: then it fails in a later task. */
    @Nullable SessionStream send(Http2Exchange exchange, Http2Headers head, boolean last) {
        if (!session.canOpen()) {
            channel.eventLoop().execute(() -> exchange.fail(Kind.REFUSED));
            return null;
        }
        unsent.remove(exchange);
        SessionStream stream = session.open(exchange);
        session.writeHeaders(stream, head, last);
        return stream;
    }

    /** The response is complete. What is left of the request need not be sent. */
    void complete(Http2Exchange exchange) {
        SessionStream stream = Objects.requireNonNull(exchange.stream());
        if (!stream.localEnded()) {
            session.reset(stream, Http2Error.NO_ERROR);
        }
        left();
    }

    /** The exchange, which is over, was given up or has a malformed response. */
    void reset(Http2Exchange exchange, Http2Error error) {
        SessionStream stream = exchange.stream();
        if (stream != null && !stream.closed()) {
            session.reset(stream, error);
            if (resets.add()) {
                session.ping(UnreadResets.PING);
            }
        }
        forget(exchange);
    }

    void pingAck(long data) {
        if (data == UnreadResets.PING && resets.read()) {
            session.ping(UnreadResets.PING);
        }
    }

    void report(String why) {
        owner.malformed(pool, why);
    }

    /** The exchange is over. */
    void forget(Http2Exchange exchange) {
        if (exchange.stream() == null) {
            unsent.remove(exchange);
        }
        left();
    }

    private void left() {
        running--;
        settle();
    }

    private void settle() {
        if (running > 0 || closing) {
            return;
        }
        idleSince = owner.now();
        if (draining || !up) {
            // Not from inside the session's call that ended the last one.
            channel.eventLoop().execute(this::closeIfUnused);
        }
    }

    private void closeIfUnused() {
        if (running == 0 && (draining || !up)) {
            close();
        }
    }

    // -- time

    /** Whether it has been idle for so long that the backend may be about to close it. */
    boolean idleTooLong() {
        return up && running == 0 && owner.now() - idleSince >= owner.idleNanos();
    }

    /** A backend that sends nothing for long while requests run must show that it lives. */
    void checkLife(long now) {
        if (heard || running == 0 || !up) {
            heard = false;
            heardAt = now;
            pinged = false;
        } else if (!pinged && now - heardAt >= Http2Connector.QUIET_NANOS) {
            pinged = true;
            pingedAt = now;
            session.ping(now);
        } else if (pinged && now - pingedAt >= Http2Connector.QUIET_NANOS) {
            LOG.debug("{} answered no PING", pool.endpoint().name());
            breakOff(Kind.CLOSED);
        }
    }

    // -- pipeline, before the session

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        heard = true;
        silent = false;
        context.fireChannelRead(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelOutputShutdownEvent.INSTANCE) {
            // The socket refused bytes. What the backend sent before can still be read: answers, or the GOAWAY that tells what it refuses.
            drain();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("connection to {} broke", pool.endpoint().name(), cause);
        } else {
            LOG.warn("connection to {} closed after {}", pool.endpoint().name(), cause.toString());
            LOG.debug("closed after", cause);
        }
        breakOff(up ? Kind.CLOSED : Kind.CONNECT);
    }

    // -- from the session

    /** What an exchange hears when the connection ends under it. */
    Kind end() {
        return end;
    }

    void goAway(int lastStreamId, long errorCode) {
        LOG.debug("{} said GOAWAY: last stream {}, error {}", pool.endpoint().name(), lastStreamId, errorCode);
        draining = true;
        failUnsent(Kind.REFUSED);
        settle();
    }

    void connectionError(String why) {
        if (closing) {
            return;
        }
        // The session says GOAWAY with its reason and closes.
        closing = true;
        cancelTimer();
        end = up ? Kind.MALFORMED : Kind.CONNECT;
        if (up) {
            report(why);
        } else {
            owner.notHttp2(pool, why);
        }
        failUnsent(end);
    }
}
