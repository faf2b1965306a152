package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamListener;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Notes every listener call and completes {@link #over} at the last; hooks let a test act from inside a call. */
class Recorder implements UpstreamListener {

    final List<String> calls = new CopyOnWriteArrayList<>();
    final List<Http2Headers> informational = new CopyOnWriteArrayList<>();
    final CompletableFuture<UpstreamExchange> connected = new CompletableFuture<>();
    final CompletableFuture<Http2Headers> head = new CompletableFuture<>();
    final CompletableFuture<Http2Headers> trailers = new CompletableFuture<>();
    final CompletableFuture<UpstreamFault> fault = new CompletableFuture<>();
    /** Completes with whether the response was complete. */
    final CompletableFuture<Boolean> over = new CompletableFuture<>();

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final Consumer<UpstreamExchange> send;

    /** @param send what to do once connected */
    Recorder(Consumer<UpstreamExchange> send) {
        this.send = send;
    }

    @Override
    public void onConnected(RequestContext context, UpstreamExchange exchange) {
        calls.add("connected");
        connected.complete(exchange);
        send.accept(exchange);
    }

    @Override
    public void onInformational(RequestContext context, Http2Headers head) {
        calls.add("informational");
        informational.add(head);
    }

    @Override
    public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
        calls.add(last ? "headers last" : "headers");
        this.head.complete(head);
        end(last);
    }

    @Override
    public void onData(RequestContext context, ByteBuf data, boolean last) {
        calls.add(last ? "data last" : "data");
        synchronized (body) {
            body.writeBytes(ByteBufUtil.getBytes(data));
        }
        data.release();
        end(last);
    }

    @Override
    public void onTrailers(RequestContext context, Http2Headers trailers) {
        calls.add("trailers");
        this.trailers.complete(trailers);
        end(true);
    }

    @Override
    public void onUpstreamWritable(RequestContext context) {
        calls.add("writable");
    }

    @Override
    public void onFailed(RequestContext context, UpstreamFault fault) {
        calls.add("failed");
        this.fault.complete(fault);
        over.complete(false);
    }

    private void end(boolean last) {
        if (last) {
            over.complete(true);
        }
    }

    byte[] bytes() {
        synchronized (body) {
            return body.toByteArray();
        }
    }

    String body() {
        return new String(bytes(), StandardCharsets.ISO_8859_1);
    }
}
