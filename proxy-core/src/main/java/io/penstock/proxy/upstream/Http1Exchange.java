package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.net.LoopFlush;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.request.UpstreamListener;
import java.nio.charset.StandardCharsets;
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
final class Http1Exchange implements UpstreamExchange {

    private static final int MAX_INFORMATIONAL = 10;
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final ByteBuf CRLF = constant("\r\n");
    private static final ByteBuf CRLF_LAST_CHUNK = constant("\r\n0\r\n\r\n");
    private static final ByteBuf LAST_CHUNK = constant("0\r\n\r\n");
    /** Eight hexadecimal digits and a line end. */
    private static final int CHUNK_LINE_BYTES = 10;

    private final RequestContext context;
    private final UpstreamListener listener;
    /** Null where none could be had: such an exchange only fails. */
    private final @Nullable Http1Connection connection;
    private final boolean reused;

    private boolean connected;
    private boolean headWritten;
    private boolean requestEnded;
    private boolean requestSent;
    private boolean isHead;
    /** Body bytes still to write, or {@link RequestHead#CHUNKED}. */
    private long remaining;

    private boolean responseStarted;
    private int informational;
    private boolean inInformational;
    private @Nullable Http2Headers bodilessHead;
    private boolean untilClose;
    private boolean keepAlive;

    private boolean over;

    Http1Exchange(RequestContext context, UpstreamListener listener, @Nullable Http1Connection connection, boolean reused) {
        this.context = context;
        this.listener = listener;
        this.connection = connection;
        this.reused = reused;
    }

    private static ByteBuf constant(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return LeakPresenceDetector.staticInitializer(
                () -> Unpooled.unreleasableBuffer(Unpooled.directBuffer(bytes.length).writeBytes(bytes)).asReadOnly());
    }

    // -- request

    @Override
    public void headers(Http2Headers head, boolean last) {
        if (over || headWritten) {
            return;
        }
        Http1Connection to = requireConnected();
        remaining = RequestHead.bodyLength(head, last);
        ByteBuf encoded;
        try {
            encoded = RequestHead.encode(to.channel().alloc(), head, remaining, to.authority());
        } catch (IllegalArgumentException e) {
            abort();
            throw e;
        }
        isHead = HttpMethod.HEAD.asciiName().contentEquals(Objects.requireNonNull(head.method()));
        headWritten = true;
        write(to, encoded, remaining == 0);
    }

    @Override
    public void data(ByteBuf data, boolean last) {
        if (over || requestEnded) {
            data.release();
            return;
        }
        Http1Connection to = requireConnected();
        assert headWritten : "body before its head";
        if (remaining == RequestHead.CHUNKED) {
            chunk(to, data, last);
            return;
        }
        int bytes = data.readableBytes();
        if (bytes > remaining || last && bytes < remaining) {
            data.release();
            abort();
            throw new IllegalArgumentException("request body: " + bytes + " bytes at its end (expected: " + remaining + ')');
        }
        remaining -= bytes;
        // With the declared length the backend has all of it, whether or not the client has said so.
        write(to, data, remaining == 0);
    }

    private void chunk(Http1Connection to, ByteBuf data, boolean last) {
        int bytes = data.readableBytes();
        if (bytes == 0) {
            // A chunk of no bytes would end the body.
            data.release();
            if (last) {
                write(to, LAST_CHUNK.duplicate(), true);
            }
            return;
        }
        ByteBuf line = to.channel().alloc().ioBuffer(CHUNK_LINE_BYTES);
        ByteBufUtil.writeAscii(line, Integer.toHexString(bytes));
        line.writeShort('\r' << 8 | '\n');
        to.channel().write(line);
        to.channel().write(data);
        write(to, (last ? CRLF_LAST_CHUNK : CRLF).duplicate(), last);
    }

    @Override
    public void trailers(Http2Headers trailers) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    private void write(Http1Connection to, ByteBuf bytes, boolean end) {
        Channel channel = to.channel();
        if (end) {
            requestEnded = true;
            channel.write(bytes).addListener(written -> requestSent = written.isSuccess());
        } else {
            // A failure shows as the shut-down output or the closed connection.
            channel.write(bytes);
        }
        LoopFlush.current().add(channel);
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

    boolean isHead() {
        return isHead;
    }

    /** Bytes have come in; whether they are this exchange's response. They are not before its request was written. */
    boolean responseBytes() {
        responseStarted |= headWritten;
        return headWritten;
    }

    void writableAgain() {
        if (connected && !requestEnded) {
            listener.onUpstreamWritable(context);
        }
    }

    void head(HttpResponse response) {
        int code = response.status().code();
        if (code < 200) {
            informational(response, code);
            return;
        }
        HttpHeaders headers = response.headers();
        boolean chunked = headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
        String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        boolean bodiless = isHead || code == 204 || code == 304 || !chunked && length != null && Long.parseLong(length) == 0;
        untilClose = !bodiless && !chunked && length == null;
        keepAlive = !untilClose && response.protocolVersion() == HttpVersion.HTTP_1_1 && HttpUtil.isKeepAlive(response);
        Http2Headers head = ResponseHead.of(response);
        if (bodiless) {
            // The decoder's end of message comes next, in this same read: one call tells both.
            bodilessHead = head;
        } else {
            listener.onHeaders(context, head, false);
        }
    }

    private void informational(HttpResponse response, int code) {
        informational++;
        if (code == SWITCHING_PROTOCOLS || informational > MAX_INFORMATIONAL) {
            malformed(code == SWITCHING_PROTOCOLS ? "101 that nobody asked for" : "too many 1xx");
            return;
        }
        inInformational = true;
        listener.onInformational(context, ResponseHead.of(response));
    }

    void content(HttpContent content) {
        if (!(content instanceof LastHttpContent)) {
            listener.onData(context, content.content(), false);
        } else if (inInformational) {
            // The decoder ends a 1xx like a response.
            inInformational = false;
        } else {
            end((LastHttpContent) content);
        }
    }

    private void end(LastHttpContent last) {
        ByteBuf data = last.content();
        if (untilClose && Objects.requireNonNull(connection).writeFailed()) {
            data.release();
            fail(Kind.CLOSED);
            return;
        }
        if (last.trailingHeaders().size() > ResponseDecoder.MAX_HEADERS) {
            data.release();
            malformed("too many trailers");
            return;
        }
        Http2Headers trailers = last.trailingHeaders().isEmpty() ? null : ResponseHead.trailers(last.trailingHeaders());
        over = true;
        Objects.requireNonNull(connection).complete(keepAlive && requestSent);
        if (bodilessHead != null) {
            data.release();
            listener.onHeaders(context, bodilessHead, true);
        } else if (trailers == null || trailers.isEmpty()) {
            listener.onData(context, data, true);
        } else {
            data.release();
            listener.onTrailers(context, trailers);
        }
    }

    void undecodable(Throwable cause) {
        if (cause instanceof PrematureChannelClosureException) {
            fail(Kind.CLOSED);
        } else {
            malformed(cause.toString());
        }
    }

    private void malformed(String why) {
        if (!over) {
            Objects.requireNonNull(connection).malformed(why);
            fail(Kind.MALFORMED);
        }
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
