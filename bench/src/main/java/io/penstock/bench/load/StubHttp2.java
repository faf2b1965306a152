package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One HTTP/2 connection of the backend stub, after the preface. Runs on its channel's event loop. */
final class StubHttp2 extends Http2Peer {

    /** RFC 9113 section 3.4. */
    static final int PREFACE_BYTES = 24;

    private final StubAnswers answers;
    private final AtomicLong requests;
    private final IntObjectHashMap<Answer> streams = new IntObjectHashMap<>();
    /** Whether some answer waits for a window or for the socket. */
    private boolean blocked;

    StubHttp2(StubAnswers answers, AtomicLong requests) {
        this.answers = answers;
        this.requests = requests;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ByteBuf opening = context.alloc().directBuffer();
        Frames.opening(opening, false);
        context.writeAndFlush(opening);
    }

    @Override
    void headers(ChannelHandlerContext context, int stream, Http2Headers headers, boolean end) {
        CharSequence path = headers.path();
        if (path != null) {
            streams.put(stream, new Answer(context, stream, StubRequest.of(path)));
        }
        if (end) {
            answer(stream);
        }
    }

    @Override
    void data(ChannelHandlerContext context, int stream, ByteBuf data, boolean end) {
        if (end) {
            answer(stream);
        }
    }

    private void answer(int stream) {
        Answer answer = streams.get(stream);
        if (answer != null) {
            answer.begin();
        }
    }

    @Override
    void reset(ChannelHandlerContext context, int stream, int code) {
        streams.remove(stream);
    }

    @Override
    void goAway(ChannelHandlerContext context, int lastStream, int code) {
        // The peer closes when its streams have ended.
    }

    @Override
    void maxStreams(ChannelHandlerContext context, long limit) {
        // A server opens no streams.
    }

    @Override
    void addWindow(ChannelHandlerContext context, int stream, int delta) {
        if (stream == 0) {
            streams.values().forEach(answer -> answer.window += delta);
            return;
        }
        Answer answer = streams.get(stream);
        if (answer != null) {
            answer.window += delta;
        }
    }

    @Override
    void windowsGrew(ChannelHandlerContext context) {
        pumpAll();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            context.executor().execute(() -> {
                pumpAll();
                context.flush();
            });
        }
    }

    private void pumpAll() {
        if (!blocked) {
            return;
        }
        blocked = false;
        for (Answer answer : new ArrayList<>(streams.values())) {
            answer.pump();
        }
    }

    /** One answer on its way out; its units are DATA frames, each as large as the next event or the whole body. */
    private final class Answer implements Runnable {
        private final ChannelHandlerContext context;
        private final int stream;
        private final StubRequest request;
        private final int units;
        private long window = initialWindow();
        private long begun;
        private boolean started;
        /** Units that may go, of which {@code sent} have gone. */
        private int due;
        private int sent;

        Answer(ChannelHandlerContext context, int stream, StubRequest request) {
            this.context = context;
            this.stream = stream;
            this.request = request;
            units = Math.max(1, request.events());
        }

        void begin() {
            if (request.kind() != StubRequest.Kind.METRICS) {
                requests.lazySet(requests.get() + 1);
            }
            if (request.delayMillis() > 0) {
                context.executor().schedule(this, request.delayMillis(), TimeUnit.MILLISECONDS);
            } else {
                run();
            }
        }

        @Override
        public void run() {
            if (streams.get(stream) != this || !context.channel().isActive()) {
                return;
            }
            if (!started) {
                started = true;
                begun = System.nanoTime();
                ByteBuf head = answers.http2Head(request.kind());
                writeFrame(head, Frames.HEADERS, Frames.END_HEADERS);
            }
            due = request.everyMillis() == 0 ? units : due + 1;
            if (due < units) {
                long next = begun + TimeUnit.MILLISECONDS.toNanos((long) request.everyMillis() * due);
                context.executor().schedule(this, next - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            pump();
            if (request.kind() == StubRequest.Kind.STREAM || request.delayMillis() > 0) {
                context.flush();
            }
        }

        private void pump() {
            if (!started) {
                return;
            }
            int size = answers.http2Body(request.kind()).readableBytes();
            while (sent < due && window >= size && connectionWindow() >= size && context.channel().isWritable()) {
                window -= size;
                spendConnectionWindow(size);
                sent++;
                writeFrame(answers.http2Body(request.kind()), Frames.DATA, sent == units ? Frames.END_STREAM : 0);
            }
            if (sent == units) {
                streams.remove(stream);
            } else if (sent < due) {
                blocked = true;
            }
        }

        private void writeFrame(ByteBuf payload, int type, int flags) {
            ByteBuf out = context.alloc().directBuffer(Frames.HEAD_BYTES + payload.readableBytes());
            Frames.head(out, payload.readableBytes(), type, flags, stream);
            out.writeBytes(payload);
            context.write(out);
        }
    }
}
