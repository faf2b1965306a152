package io.penstock.proxy.downstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.DownstreamListener;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Request handlers for tests: what they do is in the request's path. Several event loops may call. */
final class RecordingRequests implements DownstreamListener {

    static final int CHUNK = 16 << 10;

    final Queue<RequestContext> requests = new ConcurrentLinkedQueue<>();
    final Queue<String> closed = new ConcurrentLinkedQueue<>();
    final Queue<Http2Headers> trailers = new ConcurrentLinkedQueue<>();
    final AtomicInteger wrongThread = new AtomicInteger();
    final AtomicLong bodyBytes = new AtomicLong();
    final AtomicLong sentBytes = new AtomicLong();
    private final Map<RequestContext, State> states = new ConcurrentHashMap<>();

    private static final class State {
        private final ByteBuf body = Unpooled.buffer();
        private long left;
    }

    RequestContext only() {
        return requests.element();
    }

    @Override
    public void onRequest(RequestContext context, boolean last) {
        check(context);
        requests.add(context);
        State state = new State();
        states.put(context, state);
        DownstreamExchange client = context.client();
        String path = context.head().path().toString();
        if (path.startsWith("/early")) {
            client.headers(head("413").add("content-length", "5"), false);
            client.data(bytes("large"), true);
        } else if (path.startsWith("/big/")) {
            client.headers(head("200"), false);
            state.left = Long.parseLong(path.substring(5));
            pump(context, state);
        } else if (path.startsWith("/status/")) {
            client.headers(head(path.substring(8)).add("content-length", "628").add("connection", "x").add("transfer-encoding", "chunked"),
                    false);
            client.data(bytes("body that must not be seen"), true);
        } else if (path.startsWith("/trailers")) {
            client.informational(head("103").add("link", "</a>"));
            client.headers(head("200"), false);
            client.data(bytes("one"), false);
            client.trailers(new DefaultHttp2Headers(false).add("x-sum", "3").add("transfer-encoding", "chunked"));
        } else if (path.startsWith("/reset")) {
            client.headers(head("200"), false);
            client.data(bytes("half"), false);
            client.executor().execute(() -> client.reset(ResetReason.UPSTREAM_FAILED));
        } else if (path.startsWith("/hello")) {
            client.headers(head("200"), false);
            client.data(bytes("hello, world"), true);
        } else if (path.startsWith("/throw")) {
            throw new IllegalStateException("as asked");
        } else if (last) {
            answer(context, state);
        }
    }

    private void pump(RequestContext context, State state) {
        while (state.left > 0 && context.client().writable()) {
            int part = (int) Math.min(CHUNK, state.left);
            state.left -= part;
            sentBytes.addAndGet(part);
            context.client().data(Unpooled.wrappedBuffer(new byte[part]), state.left == 0);
        }
    }

    @Override
    public void onData(RequestContext context, ByteBuf data, boolean last) {
        check(context);
        bodyBytes.addAndGet(data.readableBytes());
        State state = states.get(context);
        String path = context.head().path().toString();
        int read = data.readableBytes();
        state.body.writeBytes(data);
        data.release();
        if (!path.startsWith("/hold")) {
            context.client().consumed(read);
        }
        if (last) {
            answer(context, state);
        }
    }

    private void answer(RequestContext context, State state) {
        String path = context.head().path().toString();
        if (path.startsWith("/hang") || path.startsWith("/hold") || path.startsWith("/big")) {
            return;
        }
        Http2Headers head = head("200").addInt("content-length", state.body.readableBytes());
        context.client().headers(head, !state.body.isReadable());
        context.client().data(state.body, true);
    }

    @Override
    public void onTrailers(RequestContext context, Http2Headers fields) {
        check(context);
        trailers.add(fields);
        answer(context, states.get(context));
    }

    @Override
    public void onWritable(RequestContext context) {
        check(context);
        State state = states.get(context);
        pump(context, state);
    }

    @Override
    public void onClosed(RequestContext context, ClientGone cause) {
        check(context);
        closed.add(context.head().path() + " " + cause);
    }

    private void check(RequestContext context) {
        if (!((EventLoop) context.client().executor()).inEventLoop()) {
            wrongThread.incrementAndGet();
        }
    }

    static Http2Headers head(String status) {
        return new DefaultHttp2Headers(false).status(status);
    }

    static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }
}
