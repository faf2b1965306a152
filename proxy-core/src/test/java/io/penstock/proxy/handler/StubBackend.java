package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamConnector;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamListener;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Backends without sockets: every opened exchange is kept, and the test plays the server. */
final class StubBackend implements UpstreamConnector {

    final List<Exchange> opened = new ArrayList<>();
    boolean connectAtOnce = true;
    Error broken;

    @Override
    public UpstreamExchange open(Endpoint endpoint, RequestContext context, UpstreamListener listener) {
        if (broken != null) {
            throw broken;
        }
        Exchange exchange = new Exchange(endpoint, context, listener);
        opened.add(exchange);
        if (connectAtOnce) {
            exchange.connected();
        }
        return exchange;
    }

    Exchange last() {
        return opened.get(opened.size() - 1);
    }

    /** One exchange. */
    static final class Exchange implements UpstreamExchange {
        final Endpoint endpoint;
        final StringBuilder body = new StringBuilder();
        private final RequestContext context;
        private final UpstreamListener listener;
        Http2Headers head;
        boolean ended;
        boolean aborted;
        boolean readable = true;
        boolean writable = true;

        Exchange(Endpoint endpoint, RequestContext context, UpstreamListener listener) {
            this.endpoint = endpoint;
            this.context = context;
            this.listener = listener;
        }

        void connected() {
            listener.onConnected(context, this);
        }

        void informational(String status, String... pairs) {
            listener.onInformational(context, headers(status, pairs));
        }

        void answer(String status, boolean last, String... pairs) {
            listener.onHeaders(context, headers(status, pairs), last);
        }

        void answerData(ByteBuf data, boolean last) {
            listener.onData(context, data, last);
        }

        void endWithTrailers(String... pairs) {
            Http2Headers trailers = headers("200", pairs);
            trailers.remove(Http2Headers.PseudoHeaderName.STATUS.value());
            listener.onTrailers(context, trailers);
        }

        void fail(UpstreamFault.Kind kind, boolean reused, boolean responseStarted, boolean requestSent) {
            listener.onFailed(context, new UpstreamFault(kind, reused, responseStarted, requestSent));
        }

        void writableAgain() {
            writable = true;
            listener.onUpstreamWritable(context);
        }

        private static Http2Headers headers(String status, String... pairs) {
            Http2Headers headers = new DefaultHttp2Headers();
            headers.status(status);
            for (int i = 0; i < pairs.length; i += 2) {
                headers.add(pairs[i], pairs[i + 1]);
            }
            return headers;
        }

        @Override
        public void headers(Http2Headers sent, boolean last) {
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
        public void trailers(Http2Headers trailers) {
            ended = true;
        }

        @Override
        public boolean writable() {
            return writable;
        }

        @Override
        public void readable(boolean on) {
            readable = on;
        }

        @Override
        public void abort() {
            aborted = true;
        }
    }
}
