package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.ErrorReply;
import io.penstock.proxy.request.HeaderNames;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on an HTTP/1.1 connection, as the handlers see it. Used on the connection's event loop.
 */
final class Http1Exchange implements DownstreamExchange {

    private static final int WINDOW = 64 << 10;
    private static final int EXPANDED_WINDOW = 256 << 10;

    private final Http1Downstream connection;
    private final boolean headRequest;
    private @Nullable RequestContext context;
    private boolean requestComplete;
    private boolean headersSent;
    private boolean bodiless;
    private boolean ended;
    private int unconsumed;
    private int window = WINDOW;

    Http1Exchange(Http1Downstream connection, boolean headRequest) {
        this.connection = connection;
        this.headRequest = headRequest;
    }

    RequestContext start(Http2Headers head) {
        RequestContext started = new RequestContext(this, head);
        context = started;
        return started;
    }

    @Nullable RequestContext context() {
        return context;
    }

    boolean ended() {
        return ended;
    }

    boolean headersSent() {
        return headersSent;
    }

    boolean requestComplete() {
        return requestComplete;
    }

    void completeRequest() {
        requestComplete = true;
    }

    void received(int bytes) {
        unconsumed += bytes;
    }

    /** Request bytes that may still be read ahead of the handlers. */
    int room() {
        return ended ? EXPANDED_WINDOW : window - unconsumed;
    }

    @Override
    public Executor executor() {
        return connection.client().loop().eventLoop();
    }

    @Override
    public String protocol() {
        return Http1Downstream.NAME;
    }

    @Override
    public String peer() {
        return connection.client().peer();
    }

    @Override
    public boolean secure() {
        return connection.client().secure();
    }

    @Override
    public void informational(Http2Headers head) {
        if (ended || headersSent) {
            return;
        }
        int status = ResponseHeads.status(head);
        ResponseHeads.sanitise(head, status);
        connection.writeInformational(status, head);
    }

    @Override
    public void headers(Http2Headers head, boolean last) {
        if (ended || headersSent) {
            return;
        }
        int status = ResponseHeads.status(head);
        ResponseHeads.sanitise(head, status);
        headersSent = true;
        bodiless = ResponseHeads.bodiless(status, headRequest);
        connection.writeHead(this, status, head, bodiless, last);
        if (last || bodiless) {
            end(null, null);
        }
    }

    @Override
    public void data(ByteBuf data, boolean last) {
        if (ended || !headersSent || !data.isReadable() && !last) {
            data.release();
            return;
        }
        if (last) {
            end(data, null);
        } else {
            connection.writeData(data);
        }
    }

    @Override
    public void trailers(Http2Headers trailers) {
        if (ended || !headersSent) {
            return;
        }
        ResponseHeads.sanitiseTrailers(trailers);
        end(null, trailers);
    }

    private void end(@Nullable ByteBuf data, @Nullable Http2Headers trailers) {
        ended = true;
        connection.writeEnd(this, data, trailers);
    }

    /** Answers without any handler; {@code requestId} is the client's, or a generated one. */
    void reply(ErrorReply reply, CharSequence requestId) {
        connection.client().edge().events().refused(reply.status());
        Http2Headers head = reply.head().set(HeaderNames.REQUEST_ID, requestId);
        if (reply.status() == 426) {
            connection.offerUpgrade();
        }
        headers(head, false);
        data(reply.body(), true);
    }

    @Override
    public void reset(ResetReason reason) {
        if (ended) {
            return;
        }
        ended = true;
        connection.abort(this);
    }

    /** The client has gone; the handlers hear of it once, and not after a complete response. */
    void gone(ClientGone cause) {
        if (ended) {
            return;
        }
        ended = true;
        RequestContext current = context;
        if (current != null) {
            connection.client().loop().listener().onClosed(current, cause);
        }
    }

    @Override
    public boolean writable() {
        return !ended && connection.writable();
    }

    @Override
    public void consumed(int bytes) {
        unconsumed = Math.max(0, unconsumed - bytes);
        connection.updateReading();
    }

    @Override
    public void expandWindow() {
        window = EXPANDED_WINDOW;
        connection.updateReading();
    }
}
