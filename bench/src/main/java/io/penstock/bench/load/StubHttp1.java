package io.penstock.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection of the backend stub: writes the ready answer when a request has ended. A request that comes while a stream is
 * still going out closes the connection. Runs on its channel's event loop.
 */
final class StubHttp1 extends Http1Peer {

    private final StubAnswers answers;
    private final AtomicLong requests;
    private StubRequest request = StubRequest.of("/");
    private @Nullable Streaming streaming;

    StubHttp1(StubAnswers answers, AtomicLong requests) {
        this.answers = answers;
        this.requests = requests;
    }

    @Override
    void startLine(ByteBuf in, int start, int length) {
        int from = in.indexOf(start, start + length, (byte) ' ') + 1;
        int to = in.indexOf(from, start + length, (byte) ' ');
        request = StubRequest.of(in.toString(from, to - from, US_ASCII));
    }

    @Override
    boolean head(ChannelHandlerContext context) {
        return true;
    }

    @Override
    void body(ChannelHandlerContext context, int bytes) {
        // Nothing in it changes the answer.
    }

    @Override
    void end(ChannelHandlerContext context) {
        if (streaming != null) {
            context.close();
            return;
        }
        if (request.kind() != StubRequest.Kind.METRICS) {
            // Written by this loop alone.
            requests.lazySet(requests.get() + 1);
        }
        if (request.kind() == StubRequest.Kind.STREAM) {
            context.write(answers.http1StreamHead());
            streaming = new Streaming(context, request);
            streaming.run();
        } else if (request.delayMillis() > 0) {
            context.executor().schedule(() -> context.writeAndFlush(answers.http1(StubRequest.Kind.COMPLETION)), request.delayMillis(),
                    TimeUnit.MILLISECONDS);
        } else {
            context.write(answers.http1(request.kind()));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (streaming != null && streaming.everyMillis == 0 && context.channel().isWritable()) {
            context.executor().execute(streaming);
        }
    }

    /** One stream of events on its way out. */
    private final class Streaming implements Runnable {
        private final ChannelHandlerContext context;
        private final int everyMillis;
        private final long begun = System.nanoTime();
        private int left;
        private int sent;

        Streaming(ChannelHandlerContext context, StubRequest request) {
            this.context = context;
            left = request.events();
            everyMillis = request.everyMillis();
        }

        @Override
        public void run() {
            if (streaming != this || !context.channel().isActive()) {
                return;
            }
            if (everyMillis == 0) {
                flatOut();
            } else {
                paced();
            }
            if (left == 0) {
                context.write(answers.http1End());
                streaming = null;
            }
            context.flush();
        }

        private void flatOut() {
            while (left > 0 && context.channel().isWritable()) {
                int count = left >= StubAnswers.BATCH ? StubAnswers.BATCH : 1;
                context.write(answers.http1Events(count));
                left -= count;
            }
        }

        /** On a fixed grid from the start, so that a late event does not delay those after it. */
        private void paced() {
            context.write(answers.http1Events(1));
            left--;
            sent++;
            if (left > 0) {
                long next = begun + TimeUnit.MILLISECONDS.toNanos((long) everyMillis * sent);
                context.executor().schedule(this, next - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        }
    }
}
