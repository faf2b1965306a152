package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.penstock.proxy.net.LoopFlush;
import org.jspecify.annotations.Nullable;

/**
 * Where a turn's frames are put together: they go to the channel as few buffers, at the end of the turn. Knows how many answers to the
 * peer's frames wait because it does not read, and lets no more than 1 000 (spec/edge section 3, C1). Used on one event loop.
 */
final class Outbox {

    private static final int SMALLEST = 256;
    private static final int LARGEST = 16 << 10;
    private static final int MAX_ANSWERS = 1_000;

    private final Runnable overflow;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf current;
    /** Counts the buffers: pooled ones come back as the same object, so that which one it is cannot be told by that. */
    private long begun;
    /** What recent buffers were filled to; falls slowly, so that one large turn between small ones wastes little. */
    private int usual = SMALLEST;
    private boolean flushAsked;
    private int answers;
    private int answersWaiting;
    private boolean exceeded;

    /** @param overflow told once, when there are too many answers */
    Outbox(Runnable overflow) {
        this.overflow = overflow;
    }

    void attach(ChannelHandlerContext ctx) {
        context = ctx;
    }

    private ChannelHandlerContext ctx() {
        ChannelHandlerContext current = context;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return current;
    }

    /** A number that only the buffer that is being filled has; 0 when there is none. */
    long buffer() {
        return current == null ? 0 : begun;
    }

    /** A buffer with that much room behind what is in it. It is written at the end of the turn at the latest. */
    ByteBuf room(int bytes) {
        ByteBuf buf = current;
        if (buf != null && buf.writableBytes() < bytes && buf.readableBytes() + bytes > LARGEST) {
            emit();
            buf = null;
        }
        if (buf == null) {
            buf = ctx().alloc().ioBuffer(Math.max(usual, bytes));
            current = buf;
            begun++;
            askFlush();
        } else {
            buf.ensureWritable(bytes);
        }
        return buf;
    }

    /** Passes a buffer on as it is, behind what is here. */
    void pass(ByteBuf data) {
        emit();
        ctx().write(data, ctx().voidPromise());
        askFlush();
    }

    /** A flush at the end of the turn. */
    void askFlush() {
        if (!flushAsked) {
            flushAsked = true;
            LoopFlush.current().add(ctx().channel());
        }
    }

    /**
     * Counts an answer that is about to be written to a frame of the peer.
     *
     * @return false when there are too many; {@code overflow} has been told
     */
    boolean answer() {
        if (exceeded) {
            return false;
        }
        if (answers + answersWaiting >= MAX_ANSWERS) {
            // Many may have been written in this very turn: what the peer takes at once does not count.
            emit();
            ctx().flush();
        }
        if (answers + answersWaiting >= MAX_ANSWERS) {
            exceeded = true;
            overflow.run();
            return false;
        }
        answers++;
        return true;
    }

    /** Whether the channel takes more before it calls itself unwritable. */
    boolean writable() {
        long left = ctx().channel().bytesBeforeUnwritable();
        return left > 0 && (current == null || left > current.readableBytes());
    }

    /** Hands what is here to the channel. */
    void emit() {
        ByteBuf buf = current;
        if (buf == null) {
            return;
        }
        current = null;
        usual = Math.min(LARGEST, Math.max(buf.readableBytes(), Math.max(SMALLEST, usual - (usual >> 2))));
        if (answers == 0) {
            ctx().write(buf, ctx().voidPromise());
            return;
        }
        int written = answers;
        answers = 0;
        answersWaiting += written;
        ctx().write(buf).addListener(done -> answersWaiting -= written);
    }

    /** The same; the future tells when it has left. */
    ChannelFuture emitNoticed() {
        ByteBuf buf = current;
        current = null;
        return ctx().write(buf == null ? Unpooled.EMPTY_BUFFER : buf);
    }

    /** Hands what is here to the channel and flushes it. */
    void flush() {
        flushAsked = false;
        emit();
        ctx().flush();
    }

    void release() {
        if (current != null) {
            current.release();
            current = null;
        }
        answers = 0;
    }
}
