package io.penstock.proxy.http2;

import org.jspecify.annotations.Nullable;

/**
 * One stream of an {@link Http2Session}, and all that is known of it. Used on the connection's event loop.
 */
public final class SessionStream {

    private final int id;
    private @Nullable Object attachment;

    StreamState state;
    /** The owner has heard of it, and is to hear of its end. */
    boolean announced;
    /** The session's table has it. */
    boolean listed;
    boolean headReceived;

    /** Bytes that we may send; negative after the peer has made its initial window smaller. */
    int sendWindow;
    /** In the round of those that can be written to. */
    boolean ready;
    private @Nullable PendingFrame first;
    private @Nullable PendingFrame last;
    private int pendingBytes;

    /** Bytes that the peer may send before it has to wait. */
    int receiveWindow;
    /** The same, as if all that was consumed and not yet granted again had been. */
    int processedWindow;
    /** What the window is filled up to. */
    int receiveSize;

    /** What content-length promises, or -1. */
    long bodyExpected = -1;
    long bodyReceived;

    SessionStream(int id, StreamState state, int sendWindow, int receiveWindow) {
        this.id = id;
        this.state = state;
        this.sendWindow = sendWindow;
        this.receiveWindow = receiveWindow;
        processedWindow = receiveWindow;
        receiveSize = receiveWindow;
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
        return state == StreamState.CLOSED;
    }

    /** Whether our half has ended: END_STREAM has left flow control, or the stream is closed. */
    public boolean localEnded() {
        return state == StreamState.HALF_CLOSED_LOCAL || state == StreamState.CLOSED;
    }

    /** Whether the peer's half has ended, or the stream is closed. */
    public boolean remoteEnded() {
        return state == StreamState.HALF_CLOSED_REMOTE || state == StreamState.CLOSED;
    }

    /** Body bytes, taken over and not yet written. */
    public int pendingBytes() {
        return pendingBytes;
    }

    @Nullable PendingFrame pending() {
        return first;
    }

    void enqueue(PendingFrame frame) {
        PendingFrame tail = last;
        if (tail == null) {
            first = frame;
        } else {
            tail.next = frame;
        }
        last = frame;
        pendingBytes += frame.data == null ? 0 : frame.data.readableBytes();
    }

    void dequeue() {
        PendingFrame head = first;
        if (head != null) {
            first = head.next;
            if (first == null) {
                last = null;
            }
        }
    }

    void pendingWritten(int bytes) {
        pendingBytes -= bytes;
    }

    void releasePending() {
        for (PendingFrame frame = first; frame != null; frame = frame.next) {
            frame.release();
        }
        first = null;
        last = null;
        pendingBytes = 0;
    }

    @Override
    public String toString() {
        return "stream " + id + " " + state;
    }
}
