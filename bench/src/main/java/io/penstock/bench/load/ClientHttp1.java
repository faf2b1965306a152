package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/** One HTTP/1.1 connection of the load client: one exchange at a time. Runs on its channel's event loop. */
final class ClientHttp1 extends Http1Peer implements ClientConnection {

    private final Owner owner;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Call call;
    private int status;
    private boolean alive;

    ClientHttp1(Owner owner) {
        this.owner = owner;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        alive = true;
        owner.ready();
    }

    @Override
    public boolean hasRoom() {
        return alive && call == null;
    }

    @Override
    public boolean alive() {
        return alive;
    }

    @Override
    public void send(LoadRequest request, Call next) {
        ChannelHandlerContext target = context;
        if (target == null || !hasRoom()) {
            throw new IllegalStateException("a request on a connection without room");
        }
        call = next;
        target.writeAndFlush(target.alloc().directBuffer(request.http1().length).writeBytes(request.http1()), target.voidPromise());
    }

    @Override
    void startLine(ByteBuf in, int start, int length) {
        int space = in.indexOf(start, start + length, (byte) ' ');
        status = space < 0 ? 0 : (int) number(in, space + 1, 3, 10);
    }

    @Override
    boolean head(ChannelHandlerContext ignored) {
        if (status >= 200 && call != null) {
            call.head(status);
        }
        return status >= 200 && status != 204 && status != 304;
    }

    @Override
    void body(ChannelHandlerContext ignored, int bytes) {
        if (call != null) {
            call.data(bytes);
        }
    }

    @Override
    void end(ChannelHandlerContext ignored) {
        if (status < 200) {
            return;
        }
        Call ended = call;
        call = null;
        if (ended == null) {
            throw new IllegalStateException("an answer that nobody asked for: status " + status);
        }
        ended.end(status);
        owner.roomFreed();
    }

    @Override
    public void channelInactive(ChannelHandlerContext closed) throws Exception {
        super.channelInactive(closed);
        alive = false;
        Call open = call;
        call = null;
        if (open != null) {
            open.failed("connection closed");
        }
        owner.lost();
    }
}
