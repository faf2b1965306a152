package io.penstock.proxy.handler;

import io.netty.util.AsciiString;
import io.penstock.flow.RejectReason;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.ErrorReply;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;

/**
 * The answers that the proxy makes itself: the one table from an outcome to a status (contract section 4, spec/flow-control section 3.5).
 * One event loop each.
 */
final class LocalReplies {

    private final Completion completion;

    LocalReplies(Completion completion) {
        this.completion = completion;
    }

    /** Flow control's refusal, or that of an empty pool. */
    void refuse(RequestHandler from, RequestContext context, RejectReason reason) {
        context.dropReason(reason);
        int status = switch (reason) {
            case SATURATED, TTL_EXPIRED, EVICTED -> 429;
            case NO_ENDPOINTS, CONTEXT_CANCELLED, SHUTTING_DOWN -> 503;
            case INTERNAL -> 500;
        };
        send(from, context, status, message(reason), EndCause.of(reason));
    }

    /** The end of the process for a request that has been dispatched: no refusal, since it may have been worked on. */
    void stopped(RequestHandler from, RequestContext context) {
        send(from, context, 503, message(RejectReason.SHUTTING_DOWN), EndCause.SHUTDOWN);
    }

    private static String message(RejectReason reason) {
        return switch (reason) {
            case SATURATED -> "The request queue is full";
            case TTL_EXPIRED -> "The request waited too long for a model server";
            case NO_ENDPOINTS -> "No model server is available";
            case CONTEXT_CANCELLED -> "The request was cancelled";
            case SHUTTING_DOWN -> "The proxy is shutting down";
            case EVICTED -> "The request was stopped for one of a higher priority";
            case INTERNAL -> "Internal error";
        };
    }

    /** Any answer of the proxy's own. The body goes to the client through the handlers before {@code from}. */
    void send(RequestHandler from, RequestContext context, int status, String message, EndCause cause) {
        context.moveTo(Phase.REPLYING);
        ErrorReply reply = new ErrorReply(status, message);
        boolean bodiless = AsciiString.contentEquals("HEAD", context.head().method());
        from.previous().headers(context, reply.head(), bodiless);
        if (!bodiless) {
            from.previous().data(context, reply.body(), true);
        }
        completion.end(context, Phase.DONE, cause);
    }
}
