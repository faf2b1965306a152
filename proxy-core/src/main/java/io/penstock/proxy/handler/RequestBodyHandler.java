package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;

/**
 * Bounds the request's body: 413 as soon as it is known to be too large. Where a configured plugin needs the body it will be collected
 * here; none does yet, so every byte goes on.
 */
final class RequestBodyHandler extends RequestHandler {

    private final long maxBytes;
    private final LocalReplies replies;
    private final Completion completion;

    RequestBodyHandler(long maxBytes, LocalReplies replies, Completion completion) {
        this.maxBytes = maxBytes;
        this.replies = replies;
        this.completion = completion;
    }

    @Override
    void onRequest(RequestContext context, boolean last) {
        long declared = context.head().getLong(HttpHeaderNames.CONTENT_LENGTH, -1);
        if (declared > maxBytes) {
            tooLarge(context);
            return;
        }
        next().onRequest(context, last);
    }

    @Override
    void onData(RequestContext context, ByteBuf data, boolean last) {
        if (context.body().received() + data.readableBytes() <= maxBytes) {
            next().onData(context, data, last);
            return;
        }
        data.release();
        if (context.phase().over()) {
            return;
        }
        next().withdraw(context);
        if (context.phase().beforeResponse()) {
            tooLarge(context);
        } else {
            completion.reset(this, context, ResetReason.CLIENT_PROTOCOL, EndCause.CLIENT_PROTOCOL);
        }
    }

    private void tooLarge(RequestContext context) {
        replies.send(this, context, 413, "The request body is larger than " + maxBytes + " bytes", EndCause.CLIENT_PROTOCOL);
    }
}
