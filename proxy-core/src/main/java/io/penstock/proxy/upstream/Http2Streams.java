package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.http2.SessionListener;
import io.penstock.proxy.http2.SessionStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Carries what the session of a connection tells to the exchange that it is about, or to the connection. Event loop only. */
final class Http2Streams implements SessionListener {

    private final Http2Connection connection;
    /** Exchanges to be told of room, once a flush is over. */
    private final List<Http2Exchange> resumable = new ArrayList<>();

    Http2Streams(Http2Connection connection) {
        this.connection = connection;
    }

    private static @Nullable Http2Exchange running(SessionStream stream) {
        Http2Exchange exchange = (Http2Exchange) stream.attachment();
        return exchange == null || exchange.over() ? null : exchange;
    }

    @Override
    public void onHead(SessionStream stream, Http2Headers head, boolean last) {
        Http2Exchange exchange = running(stream);
        if (exchange != null) {
            exchange.head(head, last);
        }
    }

    @Override
    public void onData(SessionStream stream, ByteBuf data, boolean last) {
        Http2Exchange exchange = running(stream);
        if (exchange == null) {
            data.release();
        } else {
            exchange.content(data, last);
        }
    }

    @Override
    public void onTrailers(SessionStream stream, Http2Headers trailers) {
        Http2Exchange exchange = running(stream);
        if (exchange != null) {
            exchange.ended(trailers);
        }
    }

    @Override
    public void onReset(SessionStream stream, long errorCode) {
        Http2Exchange exchange = running(stream);
        if (exchange != null) {
            exchange.reset(errorCode);
        }
    }

    @Override
    public void onStreamError(SessionStream stream, Http2Error error) {
        Http2Exchange exchange = running(stream);
        if (exchange != null) {
            exchange.broken("stream error " + error);
        }
    }

    @Override
    public void onClosed(SessionStream stream) {
        Http2Exchange exchange = running(stream);
        if (exchange != null) {
            exchange.fail(connection.end());
        }
    }

    @Override
    public void onWritten(SessionStream stream, int bytes) {
        Http2Exchange exchange = (Http2Exchange) stream.attachment();
        if (exchange != null && exchange.sent(bytes)) {
            resumable.add(exchange);
        }
    }

    @Override
    public void onFlushed() {
        if (resumable.isEmpty()) {
            return;
        }
        List<Http2Exchange> told = List.copyOf(resumable);
        resumable.clear();
        told.forEach(Http2Exchange::resume);
    }

    @Override
    public void onSettings() {
        connection.settings();
    }

    @Override
    public void onPingAck(long data) {
        connection.pingAck(data);
    }

    @Override
    public void onGoAway(int lastStreamId, long errorCode) {
        connection.goAway(lastStreamId, errorCode);
    }

    @Override
    public void onConnectionError(Throwable cause, @Nullable Http2Exception error) {
        connection.connectionError(String.valueOf(cause.getMessage()));
    }
}
