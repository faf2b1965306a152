package io.penstock.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/** What waits on a stream for its turn: DATA, or a header block behind it. Exactly one of the two is there. Used on one event loop. */
final class PendingFrame {

    final @Nullable ByteBuf data;
    final @Nullable Http2Headers headers;
    final boolean last;
    @Nullable PendingFrame next;

    PendingFrame(ByteBuf data, boolean last) {
        this.data = data;
        this.last = last;
        headers = null;
    }

    PendingFrame(Http2Headers headers, boolean last) {
        this.headers = headers;
        this.last = last;
        data = null;
    }

    void release() {
        if (data != null) {
            data.release();
        }
    }
}
