package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayDeque;
import java.util.List;

/**
 * What we may send (RFC 9113 section 5.2). DATA that fits into both windows and the channel is written at once; other DATA waits on its
 * stream, and streams that could go on take turns of one {@link #QUANTUM}. Used on one event loop.
 */
final class SendFlow {

    static final int QUANTUM = 16 << 10;

    private final FrameWriter writer;
    private final Outbox out;
    private final FrameBudget budget;
    private final Owner owner;
    /** Streams with a window and something pending, each once. */
    private final ArrayDeque<SessionStream> ready = new ArrayDeque<>();
    private int window = SessionOptions.DEFAULT_WINDOW;
    private int initialWindow = SessionOptions.DEFAULT_WINDOW;

    /** What a written frame means for its stream. */
    interface Owner {

        void written(SessionStream stream, int bytes);

        /** END_STREAM has been written. */
        void ended(SessionStream stream);

        /** A header block could not be encoded. */
        void unencodable(SessionStream stream, Http2Exception why);
    }

    SendFlow(FrameWriter writer, Outbox out, FrameBudget budget, Owner owner) {
        this.writer = writer;
        this.out = out;
        this.budget = budget;
        this.owner = owner;
    }

    /** Takes the buffer over. */
    void data(SessionStream stream, ByteBuf data, boolean last) {
        int bytes = data.readableBytes();
        if (stream.pending() == null && (bytes == 0 || ready.isEmpty() && fits(stream, bytes))) {
            write(stream, data, last);
            return;
        }
        stream.enqueue(new PendingFrame(data, last));
        makeReady(stream);
    }

    private boolean fits(SessionStream stream, int bytes) {
        return bytes <= stream.sendWindow && bytes <= window && bytes <= writer.maxFrame() && out.writable();
    }

    void headers(SessionStream stream, Http2Headers headers, boolean last) {
        if (stream.pending() == null) {
            write(stream, headers, last);
        } else {
            stream.enqueue(new PendingFrame(headers, last));
        }
    }

    private void write(SessionStream stream, ByteBuf data, boolean last) {
        int bytes = data.readableBytes();
        stream.sendWindow -= bytes;
        window -= bytes;
        budget.dataSent(1);
        writer.data(stream.id(), data, last);
        if (bytes > 0) {
            owner.written(stream, bytes);
        }
        if (last) {
            owner.ended(stream);
        }
    }

    private void write(SessionStream stream, Http2Headers headers, boolean last) {
        try {
            writer.headers(stream.id(), headers, last);
        } catch (Http2Exception e) {
            owner.unencodable(stream, e);
            return;
        }
        if (last) {
            owner.ended(stream);
        }
    }

    private void makeReady(SessionStream stream) {
        if (!stream.ready && stream.sendWindow > 0 && stream.pending() != null) {
            stream.ready = true;
            ready.add(stream);
        }
        if (stream.ready) {
            out.askFlush();
        }
    }

    /** Whether {@link #distribute} would write something. */
    boolean canWrite() {
        return !ready.isEmpty() && window > 0 && out.writable();
    }

    /** Lets the streams take turns until nothing is left, or the connection's window or the channel is full. */
    void distribute() {
        while (canWrite()) {
            SessionStream stream = ready.removeFirst();
            stream.ready = false;
            turn(stream);
            if (!stream.ready && stream.sendWindow > 0 && stream.pending() != null) {
                stream.ready = true;
                ready.addLast(stream);
            }
        }
    }

    private void turn(SessionStream stream) {
        int quantum = QUANTUM;
        for (PendingFrame frame = stream.pending(); frame != null; frame = stream.pending()) {
            ByteBuf data = frame.data;
            if (data == null) {
                stream.dequeue();
                write(stream, headersOf(frame), frame.last);
                continue;
            }
            int bytes = data.readableBytes();
            int part = bytes == 0 ? 0 : part(stream, Math.min(bytes, quantum));
            if (part <= 0 && bytes > 0) {
                return;
            }
            quantum -= part;
            stream.pendingWritten(part);
            if (part == bytes) {
                stream.dequeue();
                write(stream, data, frame.last);
            } else {
                write(stream, data.readRetainedSlice(part), false);
            }
        }
    }

    /** At most that many bytes; 0 or less where there is no window. */
    private int part(SessionStream stream, int bytes) {
        return Math.min(Math.min(bytes, writer.maxFrame()), Math.min(stream.sendWindow, window));
    }

    private static Http2Headers headersOf(PendingFrame frame) {
        Http2Headers headers = frame.headers;
        if (headers == null) {
            throw new IllegalStateException("neither data nor headers");
        }
        return headers;
    }

    /** The peer lets us send more on all streams. */
    void windowUpdate(int increment) throws Http2Exception {
        if (window > Integer.MAX_VALUE - increment) {
            throw connectionError(FLOW_CONTROL_ERROR, "the connection's window above 2^31-1");
        }
        window += increment;
        if (!ready.isEmpty()) {
            out.askFlush();
        }
    }

    void windowUpdate(SessionStream stream, int increment) throws Http2Exception {
        if ((long) stream.sendWindow + increment > Integer.MAX_VALUE) {
            throw streamError(stream.id(), FLOW_CONTROL_ERROR, "the window of stream %d above 2^31-1", stream.id());
        }
        stream.sendWindow += increment;
        makeReady(stream);
    }

    /** The peer has changed the window that streams begin with, which changes that of those that are there (section 6.9.2). */
    void initialWindow(int size, List<SessionStream> streams) throws Http2Exception {
        int change = size - initialWindow;
        if (change == 0) {
            return;
        }
        initialWindow = size;
        for (SessionStream stream : streams) {
            if ((long) stream.sendWindow + change > Integer.MAX_VALUE) {
                throw connectionError(FLOW_CONTROL_ERROR, "SETTINGS bring the window of stream %d above 2^31-1", stream.id());
            }
            stream.sendWindow += change;
            makeReady(stream);
        }
    }

    /** Releases what is pending. */
    void forget(SessionStream stream) {
        stream.releasePending();
        if (stream.ready) {
            stream.ready = false;
            ready.remove(stream);
        }
    }
}
