package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.codec.RequestEncoder;
import io.penstock.proxy.codec.ResponseSink;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.request.UpstreamListener;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on an HTTP/1.1 connection. Event loop only.
 *
 * <p>Every listener call may re-enter: call {@link #abort}, {@link #data} or {@link #readable}, or open another exchange, from
 * {@code onFailed} and from the call that ends the response, too. So the state is moved on before each call, the connection is let go
 * before the last one, and nothing is touched after a call without a look at {@link #over}.
 *
 * <p>A request that HTTP/1.1 cannot carry, by its head or because its body does not have the length its head declared, is refused with an
 * {@link IllegalArgumentException}; the exchange is given up before, as by {@link #abort}.
 */
final class Http1Exchange implements UpstreamExchange, ResponseSink {

    private final RequestContext context;
    private final UpstreamListener listener;
    /** Null where none could be had: such an exchange only fails. */
    private final @Nullable Http1Connection connection;
    private final boolean reused;

    private boolean connected;
    private boolean headWritten;
    private boolean requestEnded;
    private boolean requestSent;
    /** Body bytes still to write, or {@link RequestEncoder#CHUNKED}. */
    private long remaining;

    private boolean responseStarted;

    private boolean over;

    Http1Exchange(RequestContext context, UpstreamListener listener, @Nullable Http1Connection connection, boolean reused) {
        this.context = context;
        this.listener = listener;
        this.connection = connection;
        this.reused = reused;
    }

    // -- request

    @Override
    public void headers(Http2Headers head, boolean last) {
        if (over || headWritten) {
            return;
        }
        Http1Connection to = requireConnected();
        remaining = RequestEncoder.bodyLength(head, last);
        ByteBuf encoded;
        try {
            encoded = to.encode(head, remaining);
        } catch (IllegalArgumentException e) {
            abort();
            throw e;
        }
        headWritten = true;
        to.expectResponse(HttpMethod.HEAD.asciiName().contentEquals(Objects.requireNonNull(head.method())));
        to.batch().head(encoded);
        written(to, remaining == 0);
    }

    @Override
    public void data(ByteBuf data, boolean last) {
        if (over || requestEnded) {
            data.release();
            return;
        }
        Http1Connection to = requireConnected();
        assert headWritten : "body before its head";
        int bytes = data.readableBytes();
        if (remaining == RequestEncoder.CHUNKED) {
            chunk(to, data, bytes, last);
            return;
        }
        if (bytes > remaining || last && bytes < remaining) {
            data.release();
            abort();
            throw new IllegalArgumentException("request body: " + bytes + " bytes at its end (expected: " + remaining + ')');
        }
        remaining -= bytes;
        to.batch().body(data);
        // With the declared length the backend has all of it, whether or not the client has said so.
        written(to, remaining == 0);
    }

    private void chunk(Http1Connection to, ByteBuf data, int bytes, boolean last) {
        if (bytes > 0) {
            to.batch().chunk(data);
        } else {
            // A chunk of no bytes would end the body.
            data.release();
        }
        if (last) {
            to.batch().lastChunk();
        }
        written(to, last);
    }

    @Override
    public void trailers(Http2Headers trailers) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    private void written(Http1Connection to, boolean end) {
        requestEnded |= end;
        to.flushLater();
    }

    @Override
    public boolean writable() {
        return connected && !over && requireConnected().channel().isWritable();
    }

    @Override
    public void readable(boolean on) {
        if (connected && !over) {
            requireConnected().channel().config().setAutoRead(on);
        }
    }

    @Override
    public void abort() {
        if (over) {
            return;
        }
        over = true;
        if (connection != null) {
            connection.discard();
        }
    }

    private Http1Connection requireConnected() {
        if (!connected) {
            throw new IllegalStateException("exchange used before onConnected");
        }
        return Objects.requireNonNull(connection);
    }

    // -- from the connection

    void connected() {
        connected = true;
        listener.onConnected(context, this);
    }

    /** Bytes of the response have come in. */
    void responseBytes() {
        responseStarted = true;
    }

    /** Whether all of the request is written, but it is not known that the socket has taken it. */
    boolean awaitsSent() {
        return requestEnded && !requestSent;
    }

    void requestSent() {
        requestSent = true;
    }

    void writableAgain() {
        if (connected && !requestEnded) {
            listener.onUpstreamWritable(context);
        }
    }

    // -- from the parser

    @Override
    public void onInformational(Http2Headers head) {
        listener.onInformational(context, head);
    }

    @Override
    public void onHead(Http2Headers head, boolean last) {
        if (last) {
            complete();
        }
        listener.onHeaders(context, head, last);
    }

    @Override
    public void onData(ByteBuf data, boolean last) {
        if (last && Objects.requireNonNull(connection).endIsDoubtful()) {
            data.release();
            fail(Kind.CLOSED);
            return;
        }
        if (last) {
            complete();
        }
        listener.onData(context, data, last);
    }

    @Override
    public void onTrailers(Http2Headers trailers) {
        complete();
        listener.onTrailers(context, trailers);
    }

    @Override
    public void onMalformed(String why) {
        Objects.requireNonNull(connection).malformed(why);
        fail(Kind.MALFORMED);
    }

    private void complete() {
        over = true;
        Objects.requireNonNull(connection).complete(requestSent);
    }

    /** Ends the exchange: the connection is closed before the listener hears of it. */
    void fail(Kind kind) {
        if (over) {
            return;
        }
        over = true;
        if (connection != null) {
            connection.discard();
        }
        listener.onFailed(context, new UpstreamFault(kind, reused, responseStarted, requestSent));
    }
}
