package io.penstock.proxy.request;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request's body that the proxy holds: what has come in and not gone out yet, and, up to {@value #REPLAY_LIMIT} bytes in at
 * most {@value #REPLAY_PARTS} parts, what has gone out and may have to go out again. Every step costs as much as it moves, however small
 * the parts are that a client sends. One event loop only.
 */
public final class RequestBody {

    /** Largest body that can be sent a second time, in bytes. */
    public static final int REPLAY_LIMIT = 64 << 10;
    /** In as many parts at most: a body that trickles in byte by byte is not worth what its parts would cost. */
    static final int REPLAY_PARTS = 64;
    /** Room of a copied part, so that small ones that follow share it. */
    private static final int COPY_ROOM = 512;

    private static final ByteBuf[] NONE = new ByteBuf[0];

    /** In their order: what has gone out and may have to again, and from {@link #next} on what has not gone out. */
    private @Nullable ByteBuf[] parts = NONE;
    private int first;
    private int next;
    private int end;
    private long received;
    /** Bytes that went out in this attempt. */
    private long sent;
    /** Bytes that the client has credit for: those that went out, and those that were collected. */
    private long credited;
    private @Nullable BodyBudget budget;
    private long taken;
    private boolean complete;
    private boolean replayable = true;

    /** Takes a part over. */
    public void add(ByteBuf part, boolean last) {
        received += part.readableBytes();
        complete |= last;
        if (part.isReadable()) {
            append(part);
        } else {
            part.release();
        }
    }

    private void append(ByteBuf part) {
        if (end == parts.length) {
            // Most bodies are one part. Places in front are free only when a response came before the body's end.
            @Nullable ByteBuf[] room = new ByteBuf[Math.max(1, 2 * (end - first))];
            System.arraycopy(parts, first, room, 0, end - first);
            parts = room;
            next -= first;
            end -= first;
            first = 0;
        }
        parts[end++] = part;
    }

    private @Nullable ByteBuf tail() {
        return next < end ? parts[end - 1] : null;
    }

    /**
     * Takes a part's bytes over that will wait. What arrives is a slice of a whole read's buffer, and a few bytes that wait must not keep
     * all of that.
     */
    public void addCopy(ByteBuf part, boolean last) {
        int bytes = part.readableBytes();
        ByteBuf tail = tail();
        if (bytes > 0 && tail != null && tail.isWritable(bytes) && !tail.isReadOnly()) {
            tail.writeBytes(part);
            part.release();
            received += bytes;
            complete |= last;
            return;
        }
        ByteBuf own = part;
        if (bytes > 0) {
            own = part.alloc().buffer(Math.max(bytes, COPY_ROOM)).writeBytes(part);
            part.release();
        }
        add(own, last);
    }

    /**
     * Takes a part's bytes over whose credit the client gets at once, since the whole body is collected before it goes anywhere.
     *
     * @return false, and the part released, when the process holds as much as it may
     */
    public boolean collect(ByteBuf part, boolean last, BodyBudget from) {
        int bytes = part.readableBytes();
        if (!from.tryTake(bytes, taken)) {
            part.release();
            return false;
        }
        budget = from;
        taken += bytes;
        credited += bytes;
        addCopy(part, last);
        return true;
    }

    /** All that has come in and not gone out, to read and not to change; the caller releases it. */
    public ByteBuf view() {
        ByteBuf[] views = new ByteBuf[end - next];
        for (int i = 0; i < views.length; i++) {
            views[i] = part(next + i).retainedDuplicate();
        }
        return Unpooled.wrappedBuffer(Math.max(1, views.length), views);
    }

    private ByteBuf part(int at) {
        return Objects.requireNonNull(parts[at]);
    }

    /** The backend has taken what went out: a collected body that is not kept for a replay counts no longer. */
    public void taken() {
        if (first == end) {
            giveBack();
        }
    }

    private void giveBack() {
        BodyBudget from = budget;
        if (from != null) {
            budget = null;
            from.giveBack(taken);
            taken = 0;
        }
    }

    /** The client ended the body without another byte. */
    public void end() {
        complete = true;
    }

    /** Bytes that have come in. */
    public long received() {
        return received;
    }

    /** Whether all of the body has come in. */
    public boolean complete() {
        return complete;
    }

    /** Whether a part waits to be sent. */
    public boolean hasUnsent() {
        return next < end;
    }

    /** Whether everything that has been sent is still here. */
    public boolean replayable() {
        return replayable;
    }

    /** Hands every unsent part over; the receiver owns what it gets. */
    public void drainTo(Consumer<ByteBuf> receiver) {
        if (received > REPLAY_LIMIT || end - first > REPLAY_PARTS) {
            // Not before something goes out: what is all still here can go anywhere, however much it is.
            noReplay();
        }
        while (next < end) {
            ByteBuf part = part(next++);
            if (replayable) {
                receiver.accept(part.retainedDuplicate());
            } else {
                parts[first++] = null;
                receiver.accept(part);
            }
        }
        rest();
    }

    /** An empty row begins at its start again. */
    private void rest() {
        if (first == end) {
            first = 0;
            next = 0;
            end = 0;
        }
    }

    /**
     * So many bytes went out.
     *
     * @return how many of them did so for the first time: only for these does the client get credit
     */
    public int sent(int bytes) {
        sent += bytes;
        int fresh = (int) Math.max(0, sent - credited);
        credited = Math.max(credited, sent);
        return fresh;
    }

    /** Everything goes out again, from the first byte. */
    public void rewind() {
        next = first;
        sent = 0;
    }

    /** Sent parts need not be kept: the response has begun, or they are too many. */
    public void noReplay() {
        replayable = false;
        drop(next);
    }

    /** Drops everything; more than once does no harm. */
    public void release() {
        replayable = false;
        next = end;
        drop(end);
        giveBack();
    }

    private void drop(int before) {
        while (first < before) {
            ByteBuf part = part(first);
            parts[first++] = null;
            part.release();
        }
        rest();
    }
}
