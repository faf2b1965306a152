package io.penstock.proxy.http2;

import org.jspecify.annotations.Nullable;

/**
 * One stream of an {@link Http2Session}, and all that is known of it. Used on the connection's event loop.
 */
public final class SessionStream {

    private final int id;
    private @Nullable Object attachment;

    SessionStream(int id) {
        this.id = id;
    }

    public int id() {
        return id;
    }

    /** What the owner keeps with the stream. */
    public @Nullable Object attachment() {
        return attachment;
    }

    public void attach(@Nullable Object owner) {
        attachment = owner;
    }

    /** Whether nothing can be sent or received on it any more. */
    public boolean closed() {
        throw new UnsupportedOperationException();
    }

    /** Whether our half has ended: END_STREAM has left the session. */
    public boolean localEnded() {
        throw new UnsupportedOperationException();
    }

    /** Whether the peer's half has ended. */
    public boolean remoteEnded() {
        throw new UnsupportedOperationException();
    }

    /** Body bytes, taken over and not yet written. */
    public int pendingBytes() {
        throw new UnsupportedOperationException();
    }
}
