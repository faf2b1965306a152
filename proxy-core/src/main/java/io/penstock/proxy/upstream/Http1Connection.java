package io.penstock.proxy.upstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.penstock.proxy.request.UpstreamFault.Kind;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a backend and the last handler of its pipeline: it carries one exchange at a time and goes back to its pool in between.
 * Event loop only.
 *
 * <p>How a backend's FIN is seen: an idle connection always reads, so at once. A busy one whose reading is paused sees it at once with
 * epoll, which reports it apart from data; what the backend sent before it, at most the socket's receive buffer, then comes up although
 * paused. With NIO it is seen when reading resumes.
 */
final class Http1Connection extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(Http1Connection.class);

    private final Http1Connector owner;
    private final EndpointPool pool;
    private final Channel channel;
    private final long connectStart;
    private @Nullable Http1Exchange exchange;
    private long idleSince;
    private boolean up;
    private boolean gone;
    private boolean closing;
    /** A response has ended in this read; the pool gets the connection when the read is over and brought nothing more. */
    private boolean settled;
    private boolean writeFailed;

    Http1Connection(Http1Connector owner, EndpointPool pool, Channel channel, long connectStart) {
        this.owner = owner;
        this.pool = pool;
        this.channel = channel;
        this.connectStart = connectStart;
    }

    Channel channel() {
        return channel;
    }

    /** For a request that names no host. */
    String authority() {
        return pool.endpoint().spec().authority();
    }

    // -- the connection's life

    void connect(EventLoop loop) {
        channel.pipeline().addLast(new ResponseDecoder(this), this);
        channel.closeFuture().addListener(closed -> gone());
        // The connect has a task of its own, since it can fail on the spot, and an exchange does not fail before open() has returned.
        loop.register(channel).addListener(registered -> loop.execute(() -> connect(registered)));
    }

    private void connect(Future<?> registered) {
        if (closing) {
            return;
        }
        if (registered.isSuccess()) {
            channel.connect(pool.endpoint().address()).addListener(this::connectDone);
        } else {
            connectDone(registered);
        }
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
    void complete(boolean reusable) {
        exchange = null;
        if (!reusable) {
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
            owner.gone(pool, this, up);
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

    // -- for the decoder

    /** Bytes have come in: whether they belong to a response that is due. */
    boolean responseBytes() {
        return exchange != null && exchange.responseBytes();
    }

    /** Bytes that answer no request: after a response's end, while idle, or before the request was written. */
    void strayBytes() {
        if (!closing) {
            LOG.debug("{} sent bytes that answer no request", pool.endpoint().name());
            breakOff();
        }
    }

    /** Whether the response due is one to HEAD. */
    boolean answersHead() {
        return exchange != null && exchange.isHead();
    }

    // -- pipeline

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Http1Exchange current = exchange;
        if (current == null) {
            // Given up in this read.
            ReferenceCountUtil.release(message);
            return;
        }
        Throwable failure = ((HttpObject) message).decoderResult().cause();
        if (failure != null) {
            ReferenceCountUtil.release(message);
            current.undecodable(failure);
        } else if (message instanceof HttpResponse) {
            current.head((HttpResponse) message);
        } else {
            current.content((HttpContent) message);
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

    /** Whether the socket has refused bytes: the end of its input is a broken connection then, not the end of a response. */
    boolean writeFailed() {
        return writeFailed;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
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
        Http1Exchange current = exchange;
        if (current != null && cause instanceof DecoderException) {
            current.undecodable(cause);
        } else {
            breakOff();
        }
    }

    void malformed(String why) {
        owner.malformed(pool, why);
    }
}
