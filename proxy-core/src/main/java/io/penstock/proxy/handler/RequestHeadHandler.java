package io.penstock.proxy.handler;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.FlowResolver;
import io.penstock.proxy.request.HeaderNames;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.RequestIds;
import io.penstock.proxy.request.RequestObserver;
import java.util.function.LongSupplier;

/**
 * Reads the request's head: refuses what no proxy may pass on, takes out the names that clients do not own, gives the request its id and
 * its flow.
 */
final class RequestHeadHandler extends RequestHandler {

    private static final long UNKNOWN = -1;
    private static final AsciiString HTTP = AsciiString.cached("http");
    private static final AsciiString HTTPS = AsciiString.cached("https");

    private final FlowResolver flows;
    private final LongSupplier clock;
    private final RequestObserver observer;
    private final LocalReplies replies;

    RequestHeadHandler(FlowResolver flows, LongSupplier nanoClock, RequestObserver observer, LocalReplies replies) {
        this.flows = flows;
        this.clock = nanoClock;
        this.observer = observer;
        this.replies = replies;
    }

    @Override
    void onRequest(RequestContext context, boolean last) {
        context.times().received(clock.getAsLong());
        Http2Headers head = context.head();
        context.requestId(RequestIds.of(head));
        observer.started(context);
        String problem = HeadRules.problem(head, context.client().secure());
        if (problem != null) {
            replies.send(this, context, 400, problem, EndCause.CLIENT_PROTOCOL);
            return;
        }
        HeadRules.strip(head);
        forwarded(context, head);
        long length = contentLength(head);
        boolean bodiless = last || length == 0;
        if (last) {
            context.body().end();
        }
        context.identify(flows.flowKey(head), Math.max(0, length), flows.ttlNanos(head));
        context.ttftSloNanos(flows.ttftSloNanos(head));
        next().onRequest(context, bodiless);
    }

    private static long contentLength(Http2Headers head) {
        CharSequence declared = head.get(HttpHeaderNames.CONTENT_LENGTH);
        return declared == null ? UNKNOWN : HeadRules.length(declared);
    }

    /** The peer is the address that counts; what it claims of others is appended to, not believed (spec/edge section 1.4). */
    private static void forwarded(RequestContext context, Http2Headers head) {
        String peer = context.client().peer();
        boolean alone = !head.contains(HeaderNames.FORWARDED_FOR);
        head.set(HeaderNames.FORWARDED_FOR, alone ? peer : String.join(", ", head.getAll(HeaderNames.FORWARDED_FOR)) + ", " + peer);
        head.set(HeaderNames.FORWARDED_PROTO, context.client().secure() ? HTTPS : HTTP);
    }
}
