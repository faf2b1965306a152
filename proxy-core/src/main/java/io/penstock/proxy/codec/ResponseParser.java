package io.penstock.proxy.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpConstants;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the responses of one HTTP/1.1 connection to a backend, straight from the buffers that its socket was read into. One event loop
 * only; a sink may call back.
 *
 * <p>Heads are read line by line from a shared array, and only a line that a read cuts is kept. Body bytes go on as the buffer they came
 * in or as slices of it; the chunks of one read are moved together in it, so that a read is one call, however many chunks it brings.
 *
 * <p>Strict where leniency lets two readers see different messages (RFC 9112 sections 2.2, 4, 5.1, 5.2, 6 and 7; spec/edge.md E1, E9):
 * lines end with CR and LF, a status line has single spaces, field names touch their colons, folded lines are refused, content-length is
 * digits or equal lists of them, transfer-encoding is {@code chunked} alone, in HTTP/1.1, and never beside a length.
 */
public final class ResponseParser {

    /** Of one response, trailers included, line ends not. Bytes and fields as Envoy's defaults (spec/edge.md section 1.6). */
    public static final int MAX_HEADER_BYTES = 60 << 10;
    /** Of one head, and of its trailers. */
    public static final int MAX_HEADERS = 100;
    /** Of a status line, and of a chunk's line. */
    public static final int MAX_LINE_BYTES = ChunkLine.MAX_LINE_BYTES;
    /** Of one response. */
    public static final int MAX_INFORMATIONAL = 10;

    /** Chunks up to this size are moved together with the ones before them. */
    private static final int MOVABLE_BYTES = 4 << 10;
    private static final int CR_LF = 2;
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;
    private static final byte[] NOTHING = new byte[0];

    private enum State { STATUS_LINE, FIELDS, SIZED_BODY, CHUNK_LINE, CHUNK, CHUNK_END, CHUNK_END_LF, TRAILERS, OPEN_BODY }

    private final HeadCache cache;
    private final StatusLine statusLine = new StatusLine();
    private final FieldReader fields;
    private final ChunkLine chunkLine = new ChunkLine();

    /** Who hears of the response that is due; null when none is. */
    private @Nullable ResponseSink sink;
    private State state = State.STATUS_LINE;
    private boolean toHead;
    private int informational;
    private boolean untilClose;
    private boolean reusable;
    /** Bytes of the body or the chunk still to come. */
    private long left;

    /** A line that its read cut. */
    private byte[] cut = NOTHING;
    private int cutBytes;

    /** The buffer being read, unless it has been handed on; and which of its bytes are body not yet handed on. */
    private @Nullable ByteBuf reading;
    private int bodyStart;
    private int bodyEnd;

    public ResponseParser(HeadCache cache) {
        this.cache = cache;
        this.fields = new FieldReader(cache);
    }

    /**
     * A request has been written, its response is due.
     *
     * @param toHead whether the request is a HEAD
     */
    public void expect(boolean toHead, ResponseSink sink) {
        this.toHead = toHead;
        this.sink = sink;
        state = State.STATUS_LINE;
        statusLine.begin();
        chunkLine.reset();
        cutBytes = 0;
        informational = 0;
        untilClose = false;
        reusable = false;
    }

    /** Whether a response is due and not yet complete. */
    public boolean due() {
        return sink != null;
    }

    /** Drops what is to come of the response; the sink hears no more. */
    public void stop() {
        sink = null;
        cut = NOTHING;
        cutBytes = 0;
    }

    /** Whether the connection can carry another request, once the response is complete. */
    public boolean reusable() {
        return reusable;
    }

    /** Whether the response ends only with its connection; known from its head on. */
    public boolean untilClose() {
        return untilClose;
    }

    /** The connection's input has ended: ends a response that only this can end. Any other that is due stays due, and is cut. */
    public void closed() {
        if (sink != null && state == State.OPEN_BODY) {
            end().onData(Unpooled.EMPTY_BUFFER, true);
        }
    }

    /**
     * Reads what has come in.
     *
     * @param in taken over; not shared with anyone, since chunks are moved together in it
     * @return false when bytes are left that belong to no response: none is due, or it has ended or was stopped before them
     */
    public boolean read(ByteBuf in) {
        reading = in;
        bodyStart = in.readerIndex();
        bodyEnd = bodyStart;
        try {
            while (reading != null && sink != null && in.isReadable()) {
                step(in);
            }
            boolean allRead = reading == null || !in.isReadable();
            if (sink != null && bodyEnd > bodyStart) {
                handOn(in, false);
            }
            return allRead;
        } catch (MalformedResponse e) {
            if (sink != null && bodyEnd > bodyStart) {
                handOn(in, false);
            }
            if (sink != null) {
                end().onMalformed(e.why());
            }
            return true;
        } finally {
            if (reading != null) {
                reading = null;
                in.release();
            }
        }
    }

    private void step(ByteBuf in) {
        switch (state) {
            case STATUS_LINE, FIELDS, TRAILERS -> readLines(in);
            case SIZED_BODY -> {
                body(in, (int) Math.min(left, in.readableBytes()));
                handOn(in, left == 0);
            }
            case OPEN_BODY -> {
                body(in, in.readableBytes());
                handOn(in, false);
            }
            case CHUNK_LINE -> chunkLine(in);
            case CHUNK -> chunk(in);
            default -> chunkEnd(in);
        }
    }

    // -- lines

    private void readLines(ByteBuf in) {
        if (cutBytes > 0) {
            keep(in);
        } else {
            byte[] bytes = cache.scratch;
            int length = Math.min(in.readableBytes(), bytes.length);
            in.getBytes(in.readerIndex(), bytes, 0, length);
            int at = 0;
            int next = line(bytes, at, length);
            while (next >= 0) {
                at = next;
                next = headRead() ? FieldReader.MORE : line(bytes, at, length);
            }
            in.skipBytes(at);
            if (at == 0) {
                keep(in);
            }
        }
        if (headRead()) {
            headDone(in);
        }
    }

    private boolean headRead() {
        return state != State.STATUS_LINE && fields.complete();
    }

    private int line(byte[] in, int at, int end) {
        if (state != State.STATUS_LINE) {
            return fields.line(in, at, end);
        }
        int next = statusLine.line(in, at, end);
        if (statusLine.complete()) {
            int status = statusLine.status();
            // RFC 9110 section 8.6: these have no length, and an HTTP/2 client takes one for a protocol error.
            fields.begin(FieldReader.newHead(HttpResponseStatus.valueOf(status).codeAsText()), status < OK || status == NO_CONTENT);
            state = State.FIELDS;
        }
        return next;
    }

    /** Keeps the bytes of a line that ends in a later read, or is longer than the array; with its end the line is read. */
    private void keep(ByteBuf in) {
        int feed = in.indexOf(in.readerIndex(), in.writerIndex(), HttpConstants.LF);
        int length = (feed < 0 ? in.writerIndex() : feed + 1) - in.readerIndex();
        int ending = feed >= 0 ? CR_LF : in.getByte(in.writerIndex() - 1) == HttpConstants.CR ? 1 : 0;
        int most = state == State.STATUS_LINE ? MAX_LINE_BYTES : fields.bytesLeft();
        if ((long) cutBytes + length - ending > most) {
            throw new MalformedResponse("line too long");
        }
        if (cutBytes + length > cut.length) {
            cut = Arrays.copyOf(cut, Math.max(2 * cut.length, cutBytes + length));
        }
        in.readBytes(cut, cutBytes, length);
        cutBytes += length;
        if (feed >= 0) {
            int end = cutBytes;
            cutBytes = 0;
            line(cut, 0, end);
        }
    }

    private void headDone(ByteBuf in) {
        cut = NOTHING;
        if (state == State.TRAILERS) {
            trailersDone(in);
        } else if (statusLine.status() < OK) {
            informational();
        } else {
            finalHead(statusLine.status());
        }
    }

    private void informational() {
        if (statusLine.status() == SWITCHING_PROTOCOLS) {
            throw new MalformedResponse("101 that nobody asked for");
        }
        if (++informational > MAX_INFORMATIONAL) {
            throw new MalformedResponse("too many 1xx");
        }
        state = State.STATUS_LINE;
        statusLine.begin();
        toSink().onInformational(fields.headers());
    }

    private void finalHead(int status) {
        boolean never = toHead || status == NO_CONTENT || status == NOT_MODIFIED;
        boolean http11 = statusLine.http11();
        if (!http11 && (fields.severalLengths() || fields.chunked() && !never)) {
            throw new MalformedResponse("framing that HTTP/1.0 does not have");
        }
        boolean chunked = fields.chunked();
        left = fields.contentLength();
        boolean bodiless = never || left == 0;
        untilClose = !bodiless && !chunked && left < 0;
        reusable = !untilClose && http11 && !fields.close();
        if (bodiless) {
            end().onHead(fields.headers(), true);
            return;
        }
        state = chunked ? State.CHUNK_LINE : untilClose ? State.OPEN_BODY : State.SIZED_BODY;
        toSink().onHead(fields.headers(), false);
    }

    private void trailersDone(ByteBuf in) {
        if (fields.headers().isEmpty()) {
            handOn(in, true);
            return;
        }
        if (bodyEnd > bodyStart) {
            handOn(in, false);
        }
        if (sink != null) {
            end().onTrailers(fields.headers());
        }
    }

    // -- bodies

    private void chunkLine(ByteBuf in) {
        int plain = chunkLine.begun() || in.readableBytes() < ChunkLine.LOOK ? 0 : ChunkLine.plain(in.getLong(in.readerIndex()));
        if (plain != 0) {
            in.skipBytes(plain & ChunkLine.LENGTH);
            left = plain >>> ChunkLine.SIZE_SHIFT;
            state = State.CHUNK;
            return;
        }
        int size = chunkLine.read(in);
        if (size > 0) {
            left = size;
            state = State.CHUNK;
        } else if (size == 0) {
            fields.beginTrailers();
            state = State.TRAILERS;
        }
    }

    private void chunk(ByteBuf in) {
        int bytes = (int) Math.min(left, in.readableBytes());
        if (bodyEnd > bodyStart && bytes > MOVABLE_BYTES) {
            handOn(in, false);
        }
        body(in, bytes);
        if (left == 0) {
            state = State.CHUNK_END;
        }
    }

    /**
     * Takes the chunks behind the body bytes that are there, one after the other, as long as they are what most are: small, without an
     * extension, and with all of their line here.
     *
     * @return whether there was one
     */
    private boolean plainChunks(ByteBuf in) {
        int first = in.readerIndex();
        int end = in.writerIndex();
        int at = first;
        while (end - at >= ChunkLine.LOOK) {
            long next = in.getLong(at);
            int plain = next >>> 48 == ChunkLine.LINE_END ? ChunkLine.plain(next << 16) : 0;
            int from = at + CR_LF + (plain & ChunkLine.LENGTH);
            int size = plain >>> ChunkLine.SIZE_SHIFT;
            int bytes = Math.min(size, end - from);
            if (plain == 0 || bytes > MOVABLE_BYTES) {
                break;
            }
            in.setBytes(bodyEnd, in, from, bytes);
            bodyEnd += bytes;
            left = size - bytes;
            at = from + bytes;
        }
        in.readerIndex(at);
        state = left > 0 ? State.CHUNK : State.CHUNK_END;
        return at > first;
    }

    private void chunkEnd(ByteBuf in) {
        if (state == State.CHUNK_END && bodyEnd > bodyStart && plainChunks(in)) {
            return;
        }
        byte next = in.readByte();
        if (next != (state == State.CHUNK_END ? HttpConstants.CR : HttpConstants.LF)) {
            throw new MalformedResponse("chunk longer than its size");
        }
        state = state == State.CHUNK_END ? State.CHUNK_END_LF : State.CHUNK_LINE;
    }

    /** Takes the next bytes as body, behind those that are there already. */
    private void body(ByteBuf in, int bytes) {
        int at = in.readerIndex();
        if (bodyEnd == bodyStart) {
            bodyStart = at;
            bodyEnd = at;
        } else {
            in.setBytes(bodyEnd, in, at, bytes);
        }
        bodyEnd += bytes;
        left -= bytes;
        in.skipBytes(bytes);
    }

    /** Hands on the body bytes that are there; the buffer itself where nothing else is in it any more. */
    private void handOn(ByteBuf in, boolean last) {
        int start = bodyStart;
        int length = bodyEnd - start;
        bodyStart = bodyEnd;
        ByteBuf data = Unpooled.EMPTY_BUFFER;
        if (length > 0 && in.isReadable()) {
            data = in.retainedSlice(start, length);
        } else if (length > 0) {
            reading = null;
            data = in.setIndex(start, start + length);
        }
        (last ? end() : toSink()).onData(data, last);
    }

    private ResponseSink toSink() {
        return Objects.requireNonNull(sink);
    }

    private ResponseSink end() {
        ResponseSink to = toSink();
        stop();
        return to;
    }
}
