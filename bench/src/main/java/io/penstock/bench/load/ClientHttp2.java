package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One HTTP/2 connection of the load client; ready when the peer's SETTINGS have come. Runs on its channel's event loop. */
final class ClientHttp2 extends Http2Peer implements ClientConnection {

    /** Streams of a client are odd and end at 2^31 - 1 (RFC 9113 section 5.1.1). */
    private static final int LAST_STREAM = Integer.MAX_VALUE - 2;

    private final Owner owner;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final IntObjectHashMap<Stream> streams = new IntObjectHashMap<>();
    /** Streams whose body waits for a window, in the order of their requests. */
    private final ArrayDeque<Stream> blocked = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private int nextStream = 1;
    private long maxStreams = Integer.MAX_VALUE;
    private boolean settled;
    private boolean alive;
    private boolean flushing;

    ClientHttp2(Owner owner) {
        this.owner = owner;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        ByteBuf opening = active.alloc().directBuffer();
        opening.writeBytes(Http2CodecUtil.connectionPrefaceBuf());
        Frames.opening(opening, true);
        active.writeAndFlush(opening, active.voidPromise());
    }

    @Override
    public boolean hasRoom() {
        return alive && streams.size() < maxStreams;
    }

    @Override
    public boolean alive() {
        return alive;
    }

    @Override
    public void send(LoadRequest request, Call call) {
        ChannelHandlerContext target = context;
        if (target == null || !hasRoom()) {
            throw new IllegalStateException("a request on a connection without room");
        }
        Stream stream = new Stream(nextStream, request.body(), call, initialWindow());
        nextStream += 2;
        if (nextStream > LAST_STREAM) {
            alive = false;
        }
        streams.put(stream.id, stream);
        ByteBuf out = target.alloc().directBuffer();
        writeHeaders(out, stream, request.http2());
        if (!writeBody(out, stream)) {
            blocked.add(stream);
        }
        target.write(out, target.voidPromise());
        flushSoon(target);
    }

    private void writeHeaders(ByteBuf out, Stream stream, Http2Headers headers) {
        int start = out.writerIndex();
        out.writeZero(Frames.HEAD_BYTES);
        try {
            encoder.encodeHeaders(stream.id, headers, out);
        } catch (Http2Exception e) {
            throw new IllegalArgumentException("request headers: not encodable", e);
        }
        int end = out.writerIndex();
        out.writerIndex(start);
        int flags = Frames.END_HEADERS | (stream.body.length == 0 ? Frames.END_STREAM : 0);
        Frames.head(out, end - start - Frames.HEAD_BYTES, Frames.HEADERS, flags, stream.id);
        out.writerIndex(end);
    }

    /** As much of the body as the windows allow; whether that was all. */
    private boolean writeBody(ByteBuf out, Stream stream) {
        while (stream.sent < stream.body.length) {
            long room = Math.min(stream.window, connectionWindow());
            int bytes = (int) Math.min(room, Math.min(Frames.MAX_PAYLOAD, stream.body.length - stream.sent));
            if (bytes <= 0) {
                return false;
            }
            boolean last = stream.sent + bytes == stream.body.length;
            Frames.head(out, bytes, Frames.DATA, last ? Frames.END_STREAM : 0, stream.id);
            out.writeBytes(stream.body, stream.sent, bytes);
            stream.sent += bytes;
            stream.window -= bytes;
            spendConnectionWindow(bytes);
        }
        return true;
    }

    /** All that is sent in one turn of the loop leaves in one write. */
    private void flushSoon(ChannelHandlerContext target) {
        if (!flushing) {
            flushing = true;
            target.executor().execute(() -> {
                flushing = false;
                target.flush();
            });
        }
    }

    @Override
    void headers(ChannelHandlerContext ignored, int id, Http2Headers headers, boolean end) {
        Stream stream = streams.get(id);
        if (stream == null) {
            return;
        }
        CharSequence status = headers.status();
        if (status != null) {
            stream.status = Integer.parseInt(status.toString());
            if (stream.status >= 200) {
                stream.call.head(stream.status);
            }
        }
        endIf(end, stream);
    }

    @Override
    void data(ChannelHandlerContext ignored, int id, ByteBuf data, boolean end) {
        Stream stream = streams.get(id);
        if (stream == null) {
            return;
        }
        if (data.isReadable()) {
            stream.call.data(data.readableBytes());
        }
        endIf(end, stream);
    }

    private void endIf(boolean end, Stream stream) {
        if (end) {
            streams.remove(stream.id);
            stream.call.end(stream.status);
            owner.roomFreed();
        }
    }

    @Override
    void reset(ChannelHandlerContext ignored, int id, int code) {
        Stream stream = streams.remove(id);
        if (stream != null) {
            blocked.remove(stream);
            stream.call.failed("reset with code " + code);
            owner.roomFreed();
        }
    }

    @Override
    void goAway(ChannelHandlerContext target, int lastStream, int code) {
        alive = false;
        for (Stream stream : new ArrayList<>(streams.values())) {
            if (stream.id > lastStream) {
                streams.remove(stream.id);
                blocked.remove(stream);
                stream.call.failed("GOAWAY with code " + code);
            }
        }
        owner.lost();
    }

    @Override
    void maxStreams(ChannelHandlerContext ignored, long limit) {
        maxStreams = limit;
    }

    @Override
    void addWindow(ChannelHandlerContext ignored, int id, int delta) {
        if (id == 0) {
            streams.values().forEach(stream -> stream.window += delta);
            return;
        }
        Stream stream = streams.get(id);
        if (stream != null) {
            stream.window += delta;
        }
    }

    @Override
    void windowsGrew(ChannelHandlerContext target) {
        if (!settled) {
            settled = true;
            alive = true;
            owner.ready();
        }
        if (blocked.isEmpty()) {
            return;
        }
        ByteBuf out = target.alloc().directBuffer();
        blocked.removeIf(stream -> writeBody(out, stream));
        target.writeAndFlush(out, target.voidPromise());
    }

    @Override
    public void channelInactive(ChannelHandlerContext closed) throws Exception {
        super.channelInactive(closed);
        alive = false;
        List<Stream> open = new ArrayList<>(streams.values());
        streams.clear();
        blocked.clear();
        open.forEach(stream -> stream.call.failed("connection closed"));
        owner.lost();
    }

    /** One exchange. */
    private static final class Stream {
        private final int id;
        private final byte[] body;
        private final Call call;
        private long window;
        private int sent;
        private int status;

        Stream(int id, byte[] body, Call call, long window) {
            this.id = id;
            this.body = body;
            this.call = call;
            this.window = window;
        }
    }
}
