package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.http2.CappedHeaders;
import io.penstock.proxy.http2.SessionListener;
import io.penstock.proxy.http2.SessionStream;
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
 * The requests of one HTTP/2 connection: turns what its session tells into calls of the request handlers. Used on the connection's event
 * loop.
 */
final class Http2Streams implements SessionListener {

    static final Logger LOGGER = LoggerFactory.getLogger(Http2Downstream.class);

    private final Http2Downstream connection;
    private final DownstreamListener listener;
    /** Exchanges whose handlers are to be told of room once the flush is over: they write more then. */
    private final List<Http2Exchange> resumable = new ArrayList<>();
    private long idleSince;
    private int open;

    Http2Streams(Http2Downstream connection) {
        this.connection = connection;
        listener = connection.client().loop().listener();
        idleSince = now();
    }

    private long now() {
        return connection.client().edge().clock().getAsLong();
    }

    private static @Nullable Http2Exchange exchange(SessionStream stream) {
        return (Http2Exchange) stream.attachment();
    }

    // --- in ---

    @Override
    public void onHead(SessionStream stream, Http2Headers head, boolean last) {
        Http2Exchange exchange = open(stream, HttpMethod.HEAD.asciiName().contentEquals(head.method()));
        ErrorReply refusal = refusal(head);
        if (refusal != null) {
            exchange.reply(refusal, RequestIds.of(head));
            return;
        }
        RequestContext context = exchange.start(head);
        try {
            listener.onRequest(context, last);
        } catch (RuntimeException e) {
            connection.failed(exchange, e);
        }
    }

    private Http2Exchange open(SessionStream stream, boolean head) {
        Http2Exchange exchange = new Http2Exchange(connection, stream, head, now());
        stream.attach(exchange);
        open++;
        connection.client().loop().requestOpened();
        return exchange;
    }

    private static boolean overflowed(Http2Headers headers) {
        return headers instanceof CappedHeaders capped && capped.completeOverflowed();
    }

    private static @Nullable ErrorReply refusal(Http2Headers head) {
        if (overflowed(head)) {
            return EdgeReplies.HEADERS_TOO_LARGE;
        }
        if (HttpMethod.CONNECT.asciiName().contentEquals(head.method())) {
            return EdgeReplies.NO_CONNECT;
        }
        String problem = RequestHeads.normalise(head);
        return problem == null ? null : EdgeReplies.badRequest(problem);
    }

    @Override
    public void onTrailers(SessionStream stream, Http2Headers trailers) throws Http2Exception {
        Http2Exchange exchange = exchange(stream);
        RequestContext context = exchange == null ? null : exchange.context();
        boolean overflowed = overflowed(trailers);
        if (exchange == null || context == null || exchange.ended()) {
            return;
        }
        if (overflowed) {
            throw Http2Exception.streamError(stream.id(), Http2Error.PROTOCOL_ERROR, "too many trailers");
        }
        ResponseHeads.sanitiseTrailers(trailers);
        try {
            listener.onTrailers(context, trailers);
        } catch (RuntimeException e) {
            connection.failed(exchange, e);
        }
    }

    @Override
    public void onData(SessionStream stream, ByteBuf data, boolean last) {
        Http2Exchange exchange = exchange(stream);
        RequestContext context = exchange == null ? null : exchange.context();
        if (exchange == null || context == null || exchange.ended()) {
            connection.returnCredit(stream, data.readableBytes());
            data.release();
            return;
        }
        try {
            listener.onData(context, data, last);
        } catch (RuntimeException e) {
            connection.failed(exchange, e);
        }
    }

    @Override
    public boolean onOversizeHeaders(SessionStream stream) {
        Http2Exchange exchange = exchange(stream);
        if (exchange == null) {
            open(stream, false).reply(EdgeReplies.HEADERS_TOO_LARGE, RequestIds.random());
        } else {
            exchange.oversizeTrailers();
        }
        return true;
    }

    // --- how it ends ---

    @Override
    public void onReset(SessionStream stream, long errorCode) throws Http2Exception {
        Http2Exchange exchange = exchange(stream);
        if (exchange == null || exchange.ended()) {
            return;
        }
        exchange.gone(ClientGone.RESET);
        connection.prematureReset(now() - exchange.openedAt());
    }

    @Override
    public void onStreamError(SessionStream stream, Http2Error error) {
        Http2Exchange exchange = exchange(stream);
        if (exchange != null) {
            exchange.gone(ClientGone.PROTOCOL_ERROR);
        }
    }

    @Override
    public void onClosed(SessionStream stream) {
        Http2Exchange exchange = exchange(stream);
        if (exchange != null) {
            open--;
            idleSince = open == 0 ? now() : idleSince;
            connection.client().loop().requestClosed();
            exchange.gone(ClientGone.DISCONNECTED);
        }
        connection.closeIfDrained();
    }

    @Override
    public void onConnectionError(Throwable cause, @Nullable Http2Exception error) {
        connection.count(cause, error);
        connection.client().lingerOnClose();
        allGone(ClientGone.PROTOCOL_ERROR);
    }

    // --- out ---

    @Override
    public void onWritten(SessionStream stream, int bytes) {
        Http2Exchange exchange = exchange(stream);
        if (exchange != null && exchange.dataWritten(bytes)) {
            resumable.add(exchange);
        }
    }

    @Override
    public void onFlushed() {
        if (resumable.isEmpty()) {
            return;
        }
        // What a handler writes now can add to the list; it is told in this round too, since only then is there room.
        for (int i = 0; i < resumable.size(); i++) {
            resumable.get(i).resume();
        }
        resumable.clear();
    }

    // --- all of them ---

    /** How long there has been no request. */
    long idleSince(long now) {
        return open > 0 ? 0 : now - idleSince;
    }

    void resetStalled(long now, long limit) {
        if (open == 0) {
            return;
        }
        for (Http2Exchange exchange : all()) {
            if (exchange.stalled(now, limit)) {
                connection.client().edge().events().fault(ConnectionFault.WRITE_STALL);
                exchange.abort(Http2Error.CANCEL, ClientGone.RESET);
            }
        }
    }

    /** Ends every request; returns how many were reset. */
    int shutDown() {
        int reset = 0;
        for (Http2Exchange exchange : all()) {
            reset += exchange.shutDown() ? 0 : 1;
        }
        return reset;
    }

    void allGone(ClientGone cause) {
        for (Http2Exchange exchange : all()) {
            exchange.gone(cause);
        }
    }

    private List<Http2Exchange> all() {
        List<Http2Exchange> exchanges = new ArrayList<>(open);
        for (SessionStream stream : connection.session().streams()) {
            Http2Exchange exchange = exchange(stream);
            if (exchange != null) {
                exchanges.add(exchange);
            }
        }
        return exchanges;
    }
}
