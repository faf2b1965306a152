package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.penstock.proxy.http2.CappedHeaders;
import io.penstock.proxy.http2.HardenedHttp2;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.DownstreamListener;
import io.penstock.proxy.request.ErrorReply;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one HTTP/2 connection: turns frames and stream states into calls of the request handlers. Used on the connection's event
 * loop.
 */
final class Http2Streams extends Http2EventAdapter {

    static final Logger LOGGER = LoggerFactory.getLogger(Http2Downstream.class);

    private final Http2Downstream connection;
    private final HardenedHttp2 http2;
    private final Http2Connection.PropertyKey key;
    private final DownstreamListener listener;
    private long idleSince;
    private int open;

    Http2Streams(Http2Downstream connection, HardenedHttp2 http2) {
        this.connection = connection;
        this.http2 = http2;
        listener = connection.client().loop().listener();
        key = connection.connection().newKey();
        idleSince = now();
    }

    private long now() {
        return connection.client().edge().clock().getAsLong();
    }

    @Nullable Http2Exchange exchange(@Nullable Http2Stream stream) {
        return stream == null ? null : stream.getProperty(key);
    }

    // --- frames in ---

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int streamId, Http2Headers headers, int dependency, short weight,
            boolean exclusive, int padding, boolean last) throws Http2Exception {
        Http2Stream stream = connection.connection().stream(streamId);
        Http2Exchange exchange = exchange(stream);
        boolean overflowed = headers instanceof CappedHeaders capped && capped.completeOverflowed();
        if (exchange != null) {
            trailers(exchange, streamId, headers, overflowed);
            return;
        }
        boolean head = HttpMethod.HEAD.asciiName().contentEquals(headers.method());
        exchange = open(stream, head);
        ErrorReply refusal = refusal(headers, overflowed);
        if (refusal != null) {
            exchange.reply(refusal, RequestIds.of(headers));
            return;
        }
        RequestContext context = exchange.start(headers);
        try {
            listener.onRequest(context, last);
        } catch (RuntimeException e) {
            connection.failed(exchange, e);
        }
    }

    private Http2Exchange open(Http2Stream stream, boolean head) {
        Http2Exchange exchange = new Http2Exchange(connection, stream, head, now());
        stream.setProperty(key, exchange);
        open++;
        connection.client().loop().requestOpened();
        return exchange;
    }

    private static @Nullable ErrorReply refusal(Http2Headers headers, boolean overflowed) {
        if (overflowed) {
            return EdgeReplies.HEADERS_TOO_LARGE;
        }
        if (HttpMethod.CONNECT.asciiName().contentEquals(headers.method())) {
            return EdgeReplies.NO_CONNECT;
        }
        String problem = RequestHeads.normalise(headers);
        return problem == null ? null : EdgeReplies.badRequest(problem);
    }

    private void trailers(Http2Exchange exchange, int streamId, Http2Headers trailers, boolean overflowed) throws Http2Exception {
        RequestContext context = exchange.context();
        if (exchange.ended() || context == null) {
            return;
        }
        if (overflowed) {
            throw Http2Exception.streamError(streamId, Http2Error.PROTOCOL_ERROR, "too many trailers");
        }
        ResponseHeads.sanitiseTrailers(trailers);
        try {
            listener.onTrailers(context, trailers);
        } catch (RuntimeException e) {
            connection.failed(exchange, e);
        }
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean last) {
        Http2Exchange exchange = exchange(connection.connection().stream(streamId));
        int bytes = data.readableBytes();
        RequestContext context = exchange == null ? null : exchange.context();
        if (exchange == null || context == null || exchange.ended()) {
            return bytes + padding;
        }
        if (bytes > 0 || last) {
            try {
                listener.onData(context, data.retain(), last);
            } catch (RuntimeException e) {
                connection.failed(exchange, e);
            }
        }
        return padding;
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode) throws Http2Exception {
        Http2Exchange exchange = exchange(connection.connection().stream(streamId));
        if (exchange == null || exchange.ended()) {
            return;
        }
        exchange.gone(ClientGone.RESET);
        http2.requestReset(now() - exchange.openedAt());
    }

    /** Answers a header list above the limit with 431 on its stream; false when there can be no such stream. */
    boolean refuseOversize(int streamId) {
        Http2Stream stream;
        try {
            stream = connection.connection().remote().createStream(streamId, false);
        } catch (Http2Exception e) {
            return false;
        }
        open(stream, false).reply(EdgeReplies.HEADERS_TOO_LARGE, RequestIds.random());
        return true;
    }

    // --- streams' states ---

    @Override
    public void onStreamHalfClosed(Http2Stream stream) {
        if (stream.state() == Http2Stream.State.HALF_CLOSED_LOCAL && exchange(stream) != null) {
            // The response is complete and the request is not: the client need not send the rest (RFC 9113 section 8.1).
            connection.reset(stream, Http2Error.NO_ERROR);
        }
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        Http2Exchange exchange = stream.getProperty(key);
        if (exchange == null) {
            return;
        }
        open--;
        idleSince = now();
        connection.client().loop().requestClosed();
        exchange.gone(ClientGone.DISCONNECTED);
    }

    @Override
    public void onStreamRemoved(Http2Stream stream) {
        connection.closeIfDrained();
    }

    /** How long there has been no request. */
    long idleSince(long now) {
        return open > 0 ? 0 : now - idleSince;
    }

    void resetStalled(long now, long limit) {
        for (Http2Exchange exchange : all()) {
            if (exchange.stalled(now, limit)) {
                connection.client().edge().events().fault(ConnectionFault.WRITE_STALL);
                exchange.abort(Http2Error.CANCEL, ClientGone.RESET);
            }
        }
    }

    int abortAll(Http2Error error, ClientGone cause) {
        List<Http2Exchange> exchanges = all();
        for (Http2Exchange exchange : exchanges) {
            exchange.abort(error, cause);
        }
        return exchanges.size();
    }

    void allGone(ClientGone cause) {
        for (Http2Exchange exchange : all()) {
            exchange.gone(cause);
        }
    }

    private List<Http2Exchange> all() {
        List<Http2Exchange> exchanges = new ArrayList<>(open);
        if (open == 0) {
            return exchanges;
        }
        try {
            connection.connection().forEachActiveStream(stream -> {
                Http2Exchange exchange = stream.getProperty(key);
                if (exchange != null) {
                    exchanges.add(exchange);
                }
                return true;
            });
        } catch (Http2Exception e) {
            throw new IllegalStateException("the visitor throws nothing", e);
        }
        return exchanges;
    }
}
