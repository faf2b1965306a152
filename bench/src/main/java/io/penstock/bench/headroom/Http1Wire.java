package io.penstock.bench.headroom;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpClientCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** As many HTTP/1.1 connections as requests are in flight, kept for the next ones. One event loop. */
final class Http1Wire implements Wire {

    private static final int MOST = 512;

    private final EventLoop loop;
    private final WireSettings settings;
    private final Owner owner;
    private final Bootstrap bootstrap;
    private final Deque<Http1Link> idle = new ArrayDeque<>();
    private final List<Http1Link> open = new ArrayList<>();
    private int opening;
    private boolean refused;

    Http1Wire(EventLoop loop, WireSettings settings, Owner owner) {
        this.loop = loop;
        this.settings = settings;
        this.owner = owner;
        bootstrap = settings.bootstrap(loop, () -> new ChannelHandler[] {new HttpClientCodec(), new Http1Link(this)});
    }

    /** Each request opens a connection where none is idle, so there is room at once. */
    @Override
    public void open() {
        owner.turn();
    }

    @Override
    public int room() {
        return idle.size() + (refused ? 0 : MOST - open.size() - opening);
    }

    @Override
    public Sent send(Request request, Reply reply) {
        Http1Link link = idle.poll();
        if (link != null) {
            return link.send(request, reply);
        }
        Opening waiting = new Opening(request, reply);
        opening++;
        bootstrap.connect(settings.target().get()).addListener((ChannelFuture opened) ->
                loop.execute(() -> opened(opened, waiting)));
        return waiting;
    }

    private void opened(ChannelFuture future, Opening waiting) {
        opening--;
        if (!future.isSuccess()) {
            refused = true;
            loop.schedule(this::tryAgain, WireSettings.RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
            waiting.end(Outcome.UNPROCESSED);
            return;
        }
        Http1Link link = future.channel().pipeline().get(Http1Link.class);
        if (link == null) {
            waiting.end(Outcome.UNPROCESSED);
            return;
        }
        open.add(link);
        waiting.use(link);
    }

    private void tryAgain() {
        refused = false;
        owner.turn();
    }

    @Override
    public void close() {
        List.copyOf(open).forEach(Http1Link::close);
    }

    WireSettings settings() {
        return settings;
    }

    /** A connection's answer is complete and it may carry another. */
    void free(Http1Link link) {
        idle.push(link);
    }

    void gone(Http1Link link) {
        open.remove(link);
        idle.remove(link);
        owner.turn();
    }

    void turn() {
        owner.turn();
    }

    /** A request whose connection is being opened. */
    private final class Opening implements Sent {

        private final Request request;
        private final Reply reply;
        private boolean cancelled;
        private Sent sent = () -> cancelled = true;

        Opening(Request request, Reply reply) {
            this.request = request;
            this.reply = reply;
        }

        void use(Http1Link link) {
            if (cancelled) {
                free(link);
            } else {
                sent = link.send(request, reply);
            }
        }

        void end(Outcome outcome) {
            if (!cancelled) {
                reply.end(outcome);
            }
            owner.turn();
        }

        @Override
        public void cancel() {
            sent.cancel();
        }
    }
}
