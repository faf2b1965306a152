package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.http2.SessionStream;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.ErrorReply;
import io.penstock.proxy.request.HeaderNames;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 stream as the handlers see it. Writability is counted for each stream alone, so that a client that reads one of them slowly
 * does not stop the others. Used on the connection's event loop.
 */
final class Http2Exchange implements DownstreamExchange {

    /** Bytes of one response that wait for the client's window. */
    static final int HIGH_WATER = 64 << 10;
    static final int LOW_WATER = 32 << 10;

    private final Http2Downstream connection;
    private final SessionStream stream;
    private final long openedAt;
    private final boolean headRequest;
    private @Nullable RequestContext context;

    /** Response bytes handed over and not yet written to the channel. */
    private int pending;
    private boolean paused;
    private boolean headersSent;
    /** Nothing more goes out and nobody is told anything more. */
    private boolean ended;

    private long written;
    private long writtenAtTick = -1;
    private long stalledAt;

    Http2Exchange(Http2Downstream connection, SessionStream stream, boolean headRequest, long openedAt) {
        this.connection = connection;
        this.stream = stream;
        this.headRequest = headRequest;
        this.openedAt = openedAt;
    }

    /** The request is for the handlers; one that is answered here never has a context. */
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

    long openedAt() {
        return openedAt;
    }

    @Override
    public Executor executor() {
        return connection.client().loop().eventLoop();
    }

    @Override
    public String protocol() {
        return Http2Downstream.NAME;
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
        ResponseHeads.sanitise(head, 100);
        connection.writeHeaders(stream, head, false);
    }

    @Override
    public void headers(Http2Headers head, boolean last) {
        if (ended || headersSent) {
            return;
        }
        int status = ResponseHeads.status(head);
        ResponseHeads.sanitise(head, status);
        headersSent = true;
        boolean end = last || ResponseHeads.bodiless(status, headRequest);
        ended = end;
        connection.writeHeaders(stream, head, end);
    }

    @Override
    public void data(ByteBuf data, boolean last) {
        int bytes = data.readableBytes();
        if (ended || !headersSent || bytes == 0 && !last) {
            data.release();
            return;
        }
        ended = last;
        pending += bytes;
        paused |= pending >= HIGH_WATER;
        connection.writeData(stream, data, last);
    }

    @Override
    public void trailers(Http2Headers trailers) {
        if (ended || !headersSent) {
            return;
        }
        ResponseHeads.sanitiseTrailers(trailers);
        if (trailers.isEmpty()) {
            data(Unpooled.EMPTY_BUFFER, true);
            return;
        }
        ended = true;
        connection.writeHeaders(stream, trailers, true);
    }

    /** Answers without any handler; {@code requestId} is the client's, or a generated one. */
    void reply(ErrorReply reply, CharSequence requestId) {
        connection.client().edge().events().refused(reply.status());
        headers(reply.head().set(HeaderNames.REQUEST_ID, requestId), false);
        data(reply.body(), true);
    }

    @Override
    public void reset(ResetReason reason) {
        if (ended) {
            return;
        }
        ended = true;
        connection.reset(stream, error(reason));
    }

    private static Http2Error error(ResetReason reason) {
        return switch (reason) {
            case UPSTREAM_FAILED -> Http2Error.INTERNAL_ERROR;
            case TIMED_OUT, SHUTDOWN, EVICTED -> Http2Error.CANCEL;
            case CLIENT_PROTOCOL -> Http2Error.PROTOCOL_ERROR;
            case BODY_NOT_NEEDED -> Http2Error.NO_ERROR;
        };
    }

    /** Ends the stream for a reason that the handlers do not know yet. */
    void abort(Http2Error error, ClientGone cause) {
        gone(cause);
        connection.reset(stream, error);
    }

    /** Answers trailers above the limit, which are lost: 431 where no head has gone out. The handlers hear that the request is broken. */
    void oversizeTrailers() {
        boolean unanswered = !headersSent && !ended;
        gone(ClientGone.PROTOCOL_ERROR);
        if (unanswered) {
            connection.writeHeaders(stream, EdgeReplies.HEADERS_TOO_LARGE.head(), true);
        }
        connection.reset(stream, Http2Error.PROTOCOL_ERROR);
    }

    /** The client has gone, or has been sent away; the handlers hear of it once, and not after a complete response. */
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

    /** The process ends: whatever cannot be answered any more is reset. True when the handlers have answered. */
    boolean shutDown() {
        RequestContext current = context;
        if (ended || current == null) {
            abort(Http2Error.CANCEL, ClientGone.DISCONNECTED);
            return false;
        }
        boolean answered = false;
        try {
            answered = connection.client().loop().listener().onShutdown(current);
        } catch (RuntimeException e) {
            connection.failed(this, e);
        }
        if (!ended) {
            abort(Http2Error.CANCEL, ClientGone.DISCONNECTED);
        }
        return answered;
    }

    @Override
    public boolean writable() {
        return !ended && !paused;
    }

    /** Bytes have left flow control; true when the handlers are to hear that there is room again. */
    boolean dataWritten(int bytes) {
        pending -= bytes;
        written += bytes;
        return paused && pending <= LOW_WATER && !ended;
    }

    void resume() {
        RequestContext current = context;
        if (!paused || ended || pending > LOW_WATER || current == null) {
            return;
        }
        paused = false;
        connection.client().loop().listener().onWritable(current);
    }

    /** Whether the client has taken nothing of what waits for that long. */
    boolean stalled(long now, long limit) {
        if (pending == 0 || written != writtenAtTick) {
            writtenAtTick = written;
            stalledAt = now;
            return false;
        }
        return now - stalledAt >= limit;
    }

    @Override
    public void consumed(int bytes) {
        connection.returnCredit(stream, bytes);
    }

    @Override
    public void expandWindow() {
        connection.expandWindow(stream);
    }
}
