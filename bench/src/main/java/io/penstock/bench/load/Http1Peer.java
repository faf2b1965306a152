package io.penstock.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * The half of HTTP/1.1 that our client and our backend share: finds where each message ends (RFC 9112 section 6) and hands on what comes in
 * between. It trusts its peer, a proxy under test. Runs on its channel's event loop.
 */
abstract class Http1Peer extends ByteToMessageDecoder {

    private enum State { START_LINE, HEADERS, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS }

    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(US_ASCII);
    private static final byte[] TRANSFER_ENCODING = "transfer-encoding:".getBytes(US_ASCII);

    private State state = State.START_LINE;
    private long remaining;
    private boolean chunked;

    /** A request's or status line, without its line end. */
    abstract void startLine(ByteBuf in, int start, int length);

    /** The header lines have ended; returns whether a body may follow. */
    abstract boolean head(ChannelHandlerContext context);

    /** So many bytes of the body, without what chunking puts around them. */
    abstract void body(ChannelHandlerContext context, int bytes);

    abstract void end(ChannelHandlerContext context);

    /** Whether the next byte begins a new message. */
    final boolean betweenMessages() {
        return state == State.START_LINE;
    }

    @Override
    protected final void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        boolean more = true;
        while (more && in.isReadable()) {
            more = state == State.BODY || state == State.CHUNK ? skip(context, in) : line(context, in);
        }
    }

    private boolean skip(ChannelHandlerContext context, ByteBuf in) {
        int bytes = (int) Math.min(remaining, in.readableBytes());
        in.skipBytes(bytes);
        remaining -= bytes;
        body(context, bytes);
        if (remaining > 0) {
            return false;
        }
        if (state == State.CHUNK) {
            state = State.CHUNK_END;
        } else {
            finish(context);
        }
        return true;
    }

    private boolean line(ChannelHandlerContext context, ByteBuf in) {
        int start = in.readerIndex();
        int feed = in.indexOf(start, in.writerIndex(), (byte) '\n');
        if (feed < 0) {
            return false;
        }
        in.readerIndex(feed + 1);
        int length = (feed > start && in.getByte(feed - 1) == '\r' ? feed - 1 : feed) - start;
        switch (state) {
            case START_LINE -> begin(in, start, length);
            case HEADERS -> header(context, in, start, length);
            case CHUNK_SIZE -> chunkSize(in, start, length);
            case CHUNK_END -> state = State.CHUNK_SIZE;
            case TRAILERS -> trailer(context, length);
            default -> throw new IllegalStateException(state + ": not a line");
        }
        return true;
    }

    private void begin(ByteBuf in, int start, int length) {
        remaining = 0;
        chunked = false;
        state = State.HEADERS;
        startLine(in, start, length);
    }

    private void header(ChannelHandlerContext context, ByteBuf in, int start, int length) {
        if (length == 0) {
            headersEnd(context);
        } else if (startsWith(in, start, length, CONTENT_LENGTH)) {
            remaining = number(in, start + CONTENT_LENGTH.length, length - CONTENT_LENGTH.length, 10);
        } else if (startsWith(in, start, length, TRANSFER_ENCODING)) {
            chunked = true;
        }
    }

    private void headersEnd(ChannelHandlerContext context) {
        boolean bodyMayFollow = head(context);
        if (chunked && bodyMayFollow) {
            state = State.CHUNK_SIZE;
        } else if (remaining > 0 && bodyMayFollow) {
            state = State.BODY;
        } else {
            finish(context);
        }
    }

    private void chunkSize(ByteBuf in, int start, int length) {
        remaining = number(in, start, length, 16);
        state = remaining == 0 ? State.TRAILERS : State.CHUNK;
    }

    private void trailer(ChannelHandlerContext context, int length) {
        if (length == 0) {
            finish(context);
        }
    }

    private void finish(ChannelHandlerContext context) {
        state = State.START_LINE;
        end(context);
    }

    /** Compares without regard to case; {@code name} is in lower case. */
    private static boolean startsWith(ByteBuf in, int start, int length, byte[] name) {
        if (length < name.length) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            int octet = in.getByte(start + i);
            if (octet != name[i] && (octet | 0x20) != name[i]) {
                return false;
            }
        }
        return true;
    }

    /** The number at the beginning, spaces before it skipped; 0 where there is none. */
    static long number(ByteBuf in, int start, int length, int radix) {
        long value = 0;
        for (int i = start; i < start + length; i++) {
            int digit = Character.digit(in.getByte(i), radix);
            if (digit >= 0) {
                value = value * radix + digit;
            } else if (in.getByte(i) != ' ') {
                return value;
            }
        }
        return value;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        super.channelReadComplete(context);
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
