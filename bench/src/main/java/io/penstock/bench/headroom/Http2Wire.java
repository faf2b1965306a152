package io.penstock.bench.headroom;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection at a time for new requests. After a GOAWAY the next connection is opened at once, while the old one brings what it
 * still owes. One event loop.
 */
final class Http2Wire implements Wire {

    private final EventLoop loop;
    private final WireSettings settings;
    private final Owner owner;
    private final Bootstrap bootstrap;
    private final List<Http2Link> links = new ArrayList<>();
    private @Nullable Http2Link current;
    private boolean closed;

    Http2Wire(EventLoop loop, WireSettings settings, Owner owner) {
        this.loop = loop;
        this.settings = settings;
        this.owner = owner;
        bootstrap = settings.bootstrap(loop, this::handlers);
    }

    @Override
    public void open() {
        connect();
    }

    private ChannelHandler[] handlers() {
        Http2Settings initial = Http2Settings.defaultSettings().initialWindowSize(1 << 20).pushEnabled(false);
        return new ChannelHandler[] {Http2FrameCodecBuilder.forClient().initialSettings(initial).build(), new Http2Link(this)};
    }

    private void connect() {
        if (closed) {
            return;
        }
        bootstrap.connect(settings.target().get()).addListener((ChannelFuture opened) -> {
            if (!opened.isSuccess()) {
                loop.schedule(this::connect, WireSettings.RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
            } else if (closed) {
                opened.channel().close();
            }
        });
    }

    @Override
    public int room() {
        return current == null ? 0 : current.room();
    }

    @Override
    public Sent send(Request request, Reply reply) {
        Http2Link link = current;
        if (link == null) {
            throw new IllegalStateException("connection: none (expected: asked for room before)");
        }
        return link.send(request, reply);
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(links).forEach(Http2Link::close);
    }

    WireSettings settings() {
        return settings;
    }

    /** A connection has the peer's settings, so requests may be sent on it. */
    void opened(Http2Link link) {
        links.add(link);
        current = link;
    }

    /** A connection takes no more requests. */
    void retired(Http2Link link) {
        if (current == link) {
            current = null;
            connect();
        }
    }

    /** A connection is gone; one that never came to its settings is tried again a little later. */
    void gone(Http2Link link) {
        boolean wasOpen = links.remove(link);
        if (!wasOpen) {
            loop.schedule(this::connect, WireSettings.RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
        }
        retired(link);
        owner.turn();
    }

    void turn() {
        owner.turn();
    }
}
