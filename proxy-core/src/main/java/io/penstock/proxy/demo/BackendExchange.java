package io.penstock.proxy.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.penstock.proxy.net.LoopFlush;
import org.jspecify.annotations.Nullable;

/** One request on a backend's connection and the bytes of its answer. Only the server's event loop touches it. */
final class BackendExchange {

    private final BackendConnection connection;
    private final SocketChannel channel;
    private final HttpRequest request;
    private boolean requestEnded;
    private boolean answered;
    private @Nullable Object attachment;

    BackendExchange(BackendConnection connection, SocketChannel channel, HttpRequest request) {
        this.connection = connection;
        this.channel = channel;
        this.request = request;
    }

    HttpRequest request() {
        return request;
    }

    /** The path without its query. */
    String path() {
        String uri = request.uri();
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /** Number of its connection, counted from 1 since the server started. */
    long connectionNumber() {
        return connection.number();
    }

    int localPort() {
        return channel.localAddress().getPort();
    }

    ByteBufAllocator alloc() {
        return channel.alloc();
    }

    /** Whatever the application keeps with the request. */
    @Nullable
    Object attachment() {
        return attachment;
    }

    void attach(Object value) {
        attachment = value;
    }

    boolean requestEnded() {
        return requestEnded;
    }

    void markRequestEnded() {
        requestEnded = true;
    }

    /** Whether the answer is finished or can no longer be given. */
    boolean over() {
        return answered || !channel.isActive();
    }

    boolean answered() {
        return answered;
    }

    boolean writable() {
        return channel.isWritable();
    }

    /** Writes raw bytes, which are flushed when this turn of the event loop ends. Takes over the buffer. */
    void write(ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
        LoopFlush.current().add(channel);
    }

    /** Writes raw bytes as a segment of their own. Takes over the buffer. */
    void writeNow(ByteBuf bytes) {
        channel.writeAndFlush(bytes, channel.voidPromise());
    }

    /** The answer is complete; the connection waits for the next request. */
    void finish() {
        answered = true;
        connection.answered(this);
    }

    /** The answer is complete and the connection ends with a FIN after what was written. */
    void finishAndClose() {
        answered = true;
        channel.writeAndFlush(channel.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
    }

    /** The connection ends with a RST once what was written has left. */
    void finishAndReset() {
        answered = true;
        channel.config().setSoLinger(0);
        channel.writeAndFlush(channel.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
    }
}
