package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import io.penstock.proxy.codec.ResponseParser;
import io.penstock.proxy.net.LoopFlush;
import io.penstock.proxy.request.UpstreamFault.Kind;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a backend and the only handler of its pipeline: it carries one exchange at a time and goes back to its pool in between.
 * Event loop only.
 *
 * <p>How a backend's FIN is seen: an idle connection always reads, so at once. A busy one whose reading is paused sees it at once with
 * epoll, which reports it apart from data; what the backend sent before it, at most the socket's receive buffer, then comes up although
 * paused. With NIO it is seen when reading resumes.
 */
final class Http1Connection extends ChannelDuplexHandler {

    private static final Logger LOG = LoggerFactory.getLogger(Http1Connection.class);

    private final Http1Connector owner;
    private final EndpointPool pool;
    private final Channel channel;
    private final long connectStart;
    private final ResponseParser parser;
    private final RequestBatch batch = new RequestBatch();
    private @Nullable Http1Exchange exchange;
    private long idleSince;
    private boolean up;
    private boolean gone;
    private boolean closing;
    /** A response has ended in this read; the pool gets the connection when the read is over and brought nothing more. */
    private boolean settled;
    private boolean writeFailed;
    private boolean flushAsked;

    Http1Connection(Http1Connector owner, EndpointPool pool, Channel channel, long connectStart) {
        this.owner = owner;
        this.pool = pool;
        this.channel = channel;
        this.connectStart = connectStart;
        this.parser = new ResponseParser(owner.headCache());
    }

    Channel channel() {
        return channel;
    }

    // -- the connection's life

    void connect() {
        channel.pipeline().addLast(this);
        channel.closeFuture().addListener(closed -> gone());
        owner.connect(pool, channel, () -> !closing, this::connectDone);
    }

    private void connectDone(Future<?> result) {
        if (exchange == null) {
            // Given up.
            close();
        } else if (result.isSuccess()) {
            up = true;
            owner.opened(pool, connectStart);
            exchange.connected();
        } else {
            owner.connectFailed(pool, result.cause());
            exchange.fail(Kind.CONNECT);
        }
    }

    void begin(Http1Exchange next) {
        exchange = next;
    }

    /** The exchange is over and the response complete. Nothing of it is pooled before the current read is over. */
    void complete(boolean requestSent) {
        exchange = null;
        if (!requestSent || !parser.reusable()) {
            close();
            return;
        }
        settled = true;
        if (!channel.config().isAutoRead()) {
            channel.config().setAutoRead(true);
        }
    }

    /** The exchange is over and its connection useless. */
    void discard() {
        exchange = null;
        close();
    }

    /** Closes the connection; its exchange fails. */
    void breakOff() {
        if (exchange != null) {
            exchange.fail(Kind.CLOSED);
        } else {
            close();
        }
    }

    void close() {
        closing = true;
        parser.stop();
        batch.release();
        if (channel.isRegistered()) {
            channel.close();
        } else {
            channel.unsafe().closeForcibly();
            gone();
        }
    }

    private void gone() {
        if (!gone) {
            gone = true;
            closing = true;
            owner.gone(pool, pool.remove(this), up);
        }
    }

    boolean usable() {
        return !closing && channel.isActive();
    }

    long idleSince() {
        return idleSince;
    }

    void idleFrom(long nanos) {
        idleSince = nanos;
    }

    // -- the request

    /** Where the exchange's request goes; each part is followed by {@link #flushLater}. */
    RequestBatch batch() {
        return batch;
    }

    /** Encodes the head, with room for a small body behind it. */
    ByteBuf encode(Http2Headers head, long length) {
        int room = length > 0 && length <= RequestBatch.SMALL_BYTES ? (int) length : 0;
        return owner.encoder().encode(channel.alloc(), head, length, pool.authority(), room);
    }

    /** The head is written, so what comes in from now on is the response. */
    void expectResponse(boolean toHead) {
        parser.expect(toHead, Objects.requireNonNull(exchange));
    }

    void flushLater() {
        if (!flushAsked) {
            flushAsked = true;
            LoopFlush.current().add(channel);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        batch.start(context);
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        flushAsked = false;
        batch.seal();
        context.flush();
        Http1Exchange current = exchange;
        // A flush can make the channel writable, and what the exchange then writes goes with the next one.
        if (current != null && current.awaitsSent() && !flushAsked) {
            noteSent(context, current);
        }
    }

    /** Tells the exchange when the socket has taken its last byte: mostly now, else behind what is still to be written. */
    private void noteSent(ChannelHandlerContext context, Http1Exchange current) {
        ChannelOutboundBuffer unwritten = channel.unsafe().outboundBuffer();
        if (unwritten == null) {
            return;
        }
        if (unwritten.isEmpty()) {
            current.requestSent();
        } else {
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (written.isSuccess()) {
                    current.requestSent();
                }
            });
        }
    }

    // -- pipeline

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        Http1Exchange current = exchange;
        if (current == null || !parser.due()) {
            in.release();
            strayBytes();
            return;
        }
        current.responseBytes();
        if (!parser.read(in)) {
            strayBytes();
        }
    }

    /** Bytes that answer no request: after a response's end, while idle, or before the request was written. */
    private void strayBytes() {
        if (!closing) {
            LOG.debug("{} sent bytes that answer no request", pool.endpoint().name());
            breakOff();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (settled) {
            settled = false;
            if (usable()) {
                owner.idle(pool, this);
            }
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (exchange != null && channel.isWritable()) {
            exchange.writableAgain();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelOutputShutdownEvent.INSTANCE) {
            writeFailed = true;
        }
    }

    /** Whether a response without framing has ended by a broken connection: then this is no end, since the socket has refused bytes. */
    boolean endIsDoubtful() {
        return writeFailed && parser.untilClose();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        parser.closed();
        breakOff();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("connection to {} broke", pool.endpoint().name(), cause);
        } else {
            LOG.warn("connection to {} closed after {}", pool.endpoint().name(), cause.toString());
            LOG.debug("closed after", cause);
        }
        breakOff();
    }

    void malformed(String why) {
        owner.malformed(pool, why);
    }
}
