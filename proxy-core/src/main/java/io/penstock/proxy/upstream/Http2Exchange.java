package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.http2.SessionStream;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.request.UpstreamListener;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on a stream of an HTTP/2 connection. Event loop only.
 *
 * <p>Every listener call may re-enter, as with HTTP/1.1: the state is moved on before each call, the stream is let go before the last one,
 * and nothing is touched after a call without a look at {@link #over}. A request that HTTP/2 cannot carry is refused with an
 * {@link IllegalArgumentException}; the exchange is given up before, as by {@link #abort}.
 */
final class Http2Exchange implements UpstreamExchange {

    /** Bytes of one request that wait for the backend's window. */
    static final int HIGH_WATER = 64 << 10;
    static final int LOW_WATER = 32 << 10;

    private static final int MAX_INFORMATIONAL = 10;
    private static final int SWITCHING_PROTOCOLS = 101;

    private final RequestContext context;
    private final UpstreamListener listener;
    /** Null while there is none; an exchange that gets none only fails. */
    private @Nullable Http2Connection connection;
    /** Begun on a connection that was idle, from which nothing has come in since. */
    private boolean racing;
    private int moves;

    private @Nullable SessionStream stream;
    private boolean connected;
    private boolean requestEnded;
    private boolean isHead;
    /** Body bytes still to come, or {@link ContentLength#UNKNOWN}. */
    private long remaining;
    private int pending;
    private boolean paused;

    private boolean responseStarted;
    private boolean headSeen;
    private int informational;
    /** Response bytes still due, or {@link ContentLength#UNKNOWN}. */
    private long due;
    private boolean readable = true;
    private int withheld;

    private boolean over;

    Http2Exchange(RequestContext context, UpstreamListener listener) {
        this.context = context;
        this.listener = listener;
    }

    // -- request

    @Override
    public void headers(Http2Headers head, boolean last) {
        if (over || stream != null) {
            return;
        }
        Http2Connection to = requireConnected();
        Http2Headers checked;
        try {
            checked = Http2RequestHead.of(head, to.authority());
            remaining = ContentLength.ofRequest(head, last);
            to.checkFits(checked);
        } catch (IllegalArgumentException e) {
            abort();
            throw e;
        }
        isHead = HttpMethod.HEAD.asciiName().contentEquals(Objects.requireNonNull(head.method()));
        requestEnded = remaining == 0;
        stream = to.send(this, checked, requestEnded);
    }

    @Override
    public void data(ByteBuf data, boolean last) {
        if (over || requestEnded) {
            data.release();
            return;
        }
        Http2Connection to = requireConnected();
        SessionStream on = stream;
        if (on == null) {
            // No stream was left for its head; the failure is on its way.
            data.release();
            return;
        }
        int bytes = data.readableBytes();
        if (remaining != ContentLength.UNKNOWN) {
            if (bytes > remaining || last && bytes < remaining) {
                data.release();
                abort();
                throw new IllegalArgumentException("request body: " + bytes + " bytes at its end (expected: " + remaining + ')');
            }
            remaining -= bytes;
        }
        // With the declared length the backend has all of it, whether or not the client has said so.
        requestEnded = last || remaining == 0;
        if (bytes == 0 && !requestEnded) {
            data.release();
            return;
        }
        pending += bytes;
        paused |= pending >= HIGH_WATER;
        to.session().writeData(on, data, requestEnded);
    }

    @Override
    public void trailers(Http2Headers trailers) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public boolean writable() {
        return connected && !over && !paused;
    }

    @Override
    public void readable(boolean on) {
        readable = on;
        if (on) {
            giveCredit();
        }
    }

    private void giveCredit() {
        if (!over && withheld > 0 && stream != null) {
            int bytes = withheld;
            withheld = 0;
            requireConnected().session().consume(stream, bytes);
        }
    }

    @Override
    public void abort() {
        if (over) {
            return;
        }
        over = true;
        if (connection != null) {
            connection.reset(this, Http2Error.CANCEL);
        }
    }

    private Http2Connection requireConnected() {
        if (!connected) {
            throw new IllegalStateException("exchange used before onConnected");
        }
        return Objects.requireNonNull(connection);
    }

    // -- from the connection

    void begin(Http2Connection on, boolean raced) {
        connection = on;
        racing = raced;
    }

    /** How often it has left a connection that it waited for, this time included. */
    int countMove() {
        return ++moves;
    }

    /** Null before the request's head is sent. */
    @Nullable SessionStream stream() {
        return stream;
    }

    boolean over() {
        return over;
    }

    void connected() {
        connected = true;
        listener.onConnected(context, this);
    }

    /** Body bytes have left for the socket; true when there is room again, which {@link #resume} is to tell. */
    boolean sent(int bytes) {
        pending -= bytes;
        return paused && pending <= LOW_WATER && !over;
    }

    void resume() {
        if (paused && pending <= LOW_WATER && !over) {
            paused = false;
            if (!requestEnded) {
                listener.onUpstreamWritable(context);
            }
        }
    }

    void head(Http2Headers head, boolean last) {
        responseStarted = true;
        if (headSeen) {
            malformed("a second head");
            return;
        }
        int status;
        try {
            status = Http2ResponseHead.status(head);
        } catch (IllegalArgumentException e) {
            malformed(String.valueOf(e.getMessage()));
            return;
        }
        if (status < 200) {
            informational(head, status, last);
            return;
        }
        boolean bodiless = isHead || status == 204 || status == 304;
        due = bodiless ? 0 : ContentLength.of(head);
        if (last && due > 0) {
            malformed("content-length: " + due + " of a response without a body");
            return;
        }
        headSeen = true;
        Http2ResponseHead.strip(head, status);
        if (last) {
            complete();
        }
        listener.onHeaders(context, head, last);
    }

    private void informational(Http2Headers head, int status, boolean last) {
        informational++;
        if (last || status == SWITCHING_PROTOCOLS || informational > MAX_INFORMATIONAL) {
            malformed(last ? "a response that ends with 1xx" : status == SWITCHING_PROTOCOLS ? "101" : "too many 1xx");
            return;
        }
        Http2ResponseHead.strip(head, status);
        listener.onInformational(context, head);
    }

    void content(ByteBuf data, boolean last) {
        responseStarted = true;
        int bytes = data.readableBytes();
        if (!headSeen || due != ContentLength.UNKNOWN && (bytes > due || last && bytes < due)) {
            data.release();
            malformed(headSeen ? "response body: " + bytes + " bytes (expected: " + due + ')' : "a body before its head");
            return;
        }
        if (due != ContentLength.UNKNOWN) {
            due -= bytes;
        }
        if (last) {
            complete();
            listener.onData(context, data, true);
            return;
        }
        if (bytes == 0) {
            data.release();
            return;
        }
        withheld += bytes;
        listener.onData(context, data, false);
        if (readable) {
            giveCredit();
        }
    }

    void ended(Http2Headers trailers) {
        responseStarted = true;
        String problem = headSeen ? Http2ResponseHead.trailerProblem(trailers) : "trailers before the head";
        if (problem == null && due > 0) {
            problem = "response body: " + due + " bytes short";
        }
        if (problem != null) {
            malformed(problem);
            return;
        }
        complete();
        if (trailers.isEmpty()) {
            listener.onData(context, Unpooled.EMPTY_BUFFER, true);
        } else {
            listener.onTrailers(context, trailers);
        }
    }

    private void complete() {
        over = true;
        requireConnected().complete(this);
    }

    /** The backend's answer breaks the protocol: only this stream ends. */
    private void malformed(String why) {
        Http2Connection on = requireConnected();
        on.report(why);
        over = true;
        on.reset(this, Http2Error.PROTOCOL_ERROR);
        tell(Kind.MALFORMED, false);
    }

    /** The session finds the answer broken and is about to reset the stream. */
    void broken(String why) {
        responseStarted = true;
        requireConnected().report(why);
        fail(Kind.MALFORMED);
    }

    /** The backend ended the stream. */
    void reset(long errorCode) {
        fail(errorCode == Http2Error.REFUSED_STREAM.code() && !responseStarted ? Kind.REFUSED : Kind.CLOSED);
    }

    /** There is no other connection for an exchange that has to leave its own. */
    void unplaced(Kind kind) {
        connection = null;
        fail(kind);
    }

    /** Ends the exchange, which is on no connection any more when the listener hears of it. */
    void fail(Kind kind) {
        if (over) {
            return;
        }
        over = true;
        Http2Connection on = connection;
        boolean raced = racing && on != null && on.silent();
        if (on != null) {
            on.forget(this);
        }
        tell(kind, raced);
    }

    private void tell(Kind kind, boolean raced) {
        listener.onFailed(context, new UpstreamFault(kind, raced, responseStarted, requestEnded && pending == 0));
    }
}
