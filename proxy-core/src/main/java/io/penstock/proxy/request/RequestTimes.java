package io.penstock.proxy.request;

/** A request's moments on the monotonic clock, in nanoseconds, for timers and logs. Zero means not yet. One event loop only. */
public final class RequestTimes {

    private long received;
    private long ready;
    private long dispatched;
    private long sent;
    private long responded;
    private long progress;

    /** The head was complete. */
    public void received(long now) {
        received = now;
        ready = now;
        progress = now;
    }

    /** All of it that admission needs was there: its head, or its collected body. */
    public void ready(long now) {
        ready = now;
    }

    /** An endpoint was chosen. */
    public void dispatched(long now) {
        dispatched = now;
        progress = now;
    }

    /** The last byte of the request was handed to the backend's connection. */
    public void sent(long now) {
        sent = now;
        progress = now;
    }

    /** The final response head came in. */
    public void responded(long now) {
        responded = now;
        progress = now;
    }

    /** A byte moved, either way. */
    public void progress(long now) {
        progress = now;
    }

    public long received() {
        return received;
    }

    public long ready() {
        return ready;
    }

    public long dispatched() {
        return dispatched;
    }

    public long sent() {
        return sent;
    }

    public long responded() {
        return responded;
    }

    public long progress() {
        return progress;
    }
}
