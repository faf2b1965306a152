package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** A client without a socket: keeps what the chain sends it. */
final class RecordingClient implements DownstreamExchange {

    final List<Http2Headers> informational = new ArrayList<>();
    final List<RequestContext> requests = new ArrayList<>();
    final StringBuilder body = new StringBuilder();
    final Executor executor;
    Http2Headers head;
    Http2Headers trailers;
    ResetReason reset;
    boolean ended;
    boolean expanded;
    boolean writable = true;
    Runnable onInformational = () -> { };
    int credit;

    RecordingClient(Executor executor) {
        this.executor = executor;
    }

    /** A request of this client's: a POST with a body to come, unless the pairs say otherwise. */
    RequestContext request(String... pairs) {
        Http2Headers request = new DefaultHttp2Headers();
        request.method("POST").scheme("http").authority("penstock.test").path("/v1/chat/completions");
        for (int i = 0; i < pairs.length; i += 2) {
            request.add(pairs[i], pairs[i + 1]);
        }
        RequestContext context = new RequestContext(this, request);
        requests.add(context);
        return context;
    }

    String status() {
        return head == null ? "none" : head.status().toString();
    }

    String header(String name) {
        CharSequence value = head.get(name);
        return value == null ? null : value.toString();
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public String protocol() {
        return "HTTP/2";
    }

    @Override
    public String peer() {
        return "127.0.0.9";
    }

    @Override
    public boolean secure() {
        return false;
    }

    @Override
    public void informational(Http2Headers sent) {
        informational.add(sent);
        onInformational.run();
    }

    @Override
    public void headers(Http2Headers sent, boolean last) {
        if (head != null) {
            throw new AssertionError("two final heads");
        }
        head = sent;
        ended = last;
    }

    @Override
    public void data(ByteBuf data, boolean last) {
        body.append(data.toString(StandardCharsets.UTF_8));
        data.release();
        ended |= last;
    }

    @Override
    public void trailers(Http2Headers sent) {
        trailers = sent;
        ended = true;
    }

    @Override
    public void reset(ResetReason reason) {
        reset = reason;
    }

    @Override
    public boolean writable() {
        return writable;
    }

    @Override
    public void consumed(int bytes) {
        credit += bytes;
    }

    @Override
    public void expandWindow() {
        expanded = true;
    }
}
