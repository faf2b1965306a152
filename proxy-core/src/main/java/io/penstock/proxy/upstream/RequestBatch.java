package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.VoidChannelPromise;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one connection writes between two flushes: small parts gathered in one buffer, so that a usual request is one write of one buffer,
 * large ones by reference. Event loop only. Nobody waits for a single write: a failure shows as the shut-down output or the closed
 * connection, so no write has a promise.
 */
final class RequestBatch {

    /** Copying costs less than another buffer up to about this size. */
    static final int SMALL_BYTES = 8 << 10;

    /** What may gather before it counts as written, by which the connection's water marks go. */
    private static final int MOST_BYTES = 32 << 10;
    private static final int CHUNK_FRAME_BYTES = 17;
    private static final int CRLF = '\r' << 8 | '\n';
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private @Nullable ChannelHandlerContext context;
    private @Nullable ChannelPromise nobody;
    private @Nullable ByteBuf open;

    void start(ChannelHandlerContext context) {
        this.context = context;
        this.nobody = new VoidChannelPromise(context.channel(), false);
    }

    /** Takes over an encoded head with room behind it. */
    void head(ByteBuf head) {
        seal();
        open = head;
    }

    /** Takes over body bytes. */
    void body(ByteBuf data) {
        int bytes = data.readableBytes();
        if (bytes > SMALL_BYTES) {
            seal();
            write(data);
            return;
        }
        try {
            // Pulled, not pushed: writeBytes makes two views of memory for a copy from a slice, readBytes none.
            data.readBytes(room(bytes).ensureWritable(bytes), bytes);
        } finally {
            data.release();
        }
    }

    /** Takes over body bytes, at least one, as a chunk of their own. */
    void chunk(ByteBuf data) {
        int bytes = data.readableBytes();
        ByteBuf line = room(bytes <= SMALL_BYTES ? bytes + CHUNK_FRAME_BYTES : CHUNK_FRAME_BYTES);
        ByteBufUtil.writeAscii(line, Integer.toHexString(bytes));
        line.writeShort(CRLF);
        body(data);
        room(CHUNK_FRAME_BYTES).writeShort(CRLF);
    }

    void lastChunk() {
        room(CHUNK_FRAME_BYTES).writeBytes(LAST_CHUNK);
    }

    private ByteBuf room(int bytes) {
        if (open != null && open.readableBytes() + bytes > MOST_BYTES) {
            seal();
        }
        if (open == null) {
            open = Objects.requireNonNull(context).alloc().ioBuffer(bytes);
        }
        return open;
    }

    /** Writes what has gathered. */
    void seal() {
        if (open != null) {
            ByteBuf full = open;
            open = null;
            write(full);
        }
    }

    private void write(ByteBuf bytes) {
        Objects.requireNonNull(context).write(bytes, nobody);
    }

    /** Drops what has gathered. */
    void release() {
        if (open != null) {
            open.release();
            open = null;
        }
    }
}
