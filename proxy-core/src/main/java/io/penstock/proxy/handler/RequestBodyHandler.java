package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.penstock.proxy.inference.PromptEstimate;
import io.penstock.proxy.inference.PromptShape;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the request's body: 413 as soon as it is known to be too large. Where the configuration counts tokens, the body of an inference
 * request is collected here before the request goes on: the client gets credit for what came in, so that all of it can come, and the
 * request stays RECEIVED. Otherwise every byte goes on.
 */
final class RequestBodyHandler extends RequestHandler {

    private final long maxBytes;
    private final @Nullable BodyCollection collection;
    private final Timers timers;
    private final LocalReplies replies;
    private final Completion completion;

    /** @param collection null where no body is collected */
    RequestBodyHandler(long maxBytes, @Nullable BodyCollection collection, Timers timers, LocalReplies replies, Completion completion) {
        this.maxBytes = maxBytes;
        this.collection = collection;
        this.timers = timers;
        this.replies = replies;
        this.completion = completion;
    }

    @Override
    void onRequest(RequestContext context, boolean bodiless) {
        // So far its size is the length that it declares.
        if (context.byteSize() > maxBytes) {
            tooLarge(context);
            return;
        }
        if (collection == null || bodiless || shape(context) == null) {
            next().onRequest(context, bodiless);
            return;
        }
        timers.add(context);
        context.client().expandWindow();
        Expectations.answer(this, context);
    }

    private static @Nullable PromptShape shape(RequestContext context) {
        CharSequence path = context.head().path();
        return path == null ? null : PromptShape.of(path);
    }

    @Override
    void onData(RequestContext context, ByteBuf data, boolean last) {
        if (context.body().received() + data.readableBytes() > maxBytes) {
            data.release();
            overflow(context);
        } else if (context.phase() == Phase.RECEIVED && collection != null) {
            collect(context, data, last, collection);
        } else {
            next().onData(context, data, last);
        }
    }

    private void overflow(RequestContext context) {
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

    private void collect(RequestContext context, ByteBuf data, boolean last, BodyCollection into) {
        int bytes = data.readableBytes();
        if (!context.body().collect(data, last, into.budget())) {
            into.onRefused().run();
            replies.send(this, context, 503, "The proxy holds as many request bodies as it may", EndCause.REFUSED);
            return;
        }
        context.times().progress(timers.now());
        context.client().consumed(bytes);
        // Writing to the client may be what shows that it has gone.
        if (last && context.phase() == Phase.RECEIVED) {
            collected(context, into);
        }
    }

    @Override
    void onEnd(RequestContext context) {
        if (context.phase() == Phase.RECEIVED && collection != null) {
            context.body().end();
            collected(context, collection);
        } else {
            next().onEnd(context);
        }
    }

    private void collected(RequestContext context, BodyCollection from) {
        timers.remove(context);
        context.times().ready(timers.now());
        PromptEstimate estimate = estimate(context, from);
        context.measure(context.body().received(), estimate.promptTokens(), estimate.maxOutputTokens());
        next().onRequest(context, false);
    }

    /** A body that cannot be read is the server's to refuse, or to read all the same: its bytes count. */
    private static PromptEstimate estimate(RequestContext context, BodyCollection from) {
        PromptShape shape = shape(context);
        if (shape == null) {
            return PromptEstimate.NONE;
        }
        ByteBuf body = context.body().view();
        try {
            return from.estimator().estimate(shape, body);
        } catch (IOException | RuntimeException unreadable) {
            from.onUnreadable().run();
            return PromptEstimate.ofBytes(body.readableBytes());
        } finally {
            body.release();
        }
    }

    private void tooLarge(RequestContext context) {
        replies.send(this, context, 413, "The request body is larger than " + maxBytes + " bytes", EndCause.CLIENT_PROTOCOL);
    }
}
