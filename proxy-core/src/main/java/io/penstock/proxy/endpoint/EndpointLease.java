package io.penstock.proxy.endpoint;

import io.penstock.flow.Lease;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * One request's charge on one endpoint. It gives back to the very counters it was charged to, wherever the endpoint has gone by then. Any
 * thread may close it; only the first close counts.
 */
public final class EndpointLease implements Lease {

    private static final AtomicIntegerFieldUpdater<EndpointLease> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(EndpointLease.class, "closed");

    private final Endpoint endpoint;
    private final InFlight.Window window;
    private final long tokens;
    private final Runnable signal;
    private volatile int closed;

    EndpointLease(Endpoint endpoint, InFlight.Window window, long tokens, Runnable signal) {
        this.endpoint = endpoint;
        this.window = window;
        this.tokens = tokens;
        this.signal = signal;
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    /** Gives the charge back, then tells flow control that there is room. */
    @Override
    public void close() {
        if (CLOSED.compareAndSet(this, 0, 1)) {
            endpoint.giveBack(window, tokens);
            signal.run();
        }
    }

    /** Takes the charge back as if it had never been made: nobody is told. */
    void undo() {
        if (CLOSED.compareAndSet(this, 0, 1)) {
            endpoint.giveBack(window, tokens);
        }
    }
}
