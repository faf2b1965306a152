package io.penstock.proxy.endpoint;

import io.penstock.flow.Lease;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One request's charge on the endpoint that answers it and, where another one prefills it, on that one too. Each part is given back once,
 * to the very counters it was charged to, wherever the endpoint has gone by then. Any thread; only the first {@link #firstByte} and the
 * first {@link #close} count.
 */
public final class EndpointLease implements Lease {

    private static final int CHARGED = 0;
    /** What the first byte gives back is given back. */
    private static final int ANSWERING = 1;
    private static final int CLOSED = 2;

    private static final AtomicIntegerFieldUpdater<EndpointLease> STATE =
            AtomicIntegerFieldUpdater.newUpdater(EndpointLease.class, "state");

    private final Endpoint endpoint;
    private final InFlight.Window window;
    private final @Nullable Endpoint prefill;
    private final InFlight.@Nullable Window prefillWindow;
    private final long tokens;
    private final boolean promptOnly;
    private final Runnable signal;
    private volatile int state;

    private EndpointLease(Endpoint endpoint, @Nullable Endpoint prefill, long tokens, boolean promptOnly, Runnable signal) {
        this.endpoint = endpoint;
        this.prefill = prefill;
        this.tokens = tokens;
        this.promptOnly = promptOnly;
        this.signal = signal;
        this.window = endpoint.counts().charge(tokens);
        this.prefillWindow = prefill == null ? null : prefill.counts().charge(tokens);
    }

    /**
     * Counts one request in.
     *
     * @param endpoint answers it
     * @param prefill prefills it, another one; null where {@code endpoint} does all of the work
     * @param tokens its estimated tokens, on each of them; 0 where nothing counts them
     * @param promptOnly whether the tokens are those of the prompt alone, which is done with once the answer begins
     * @param signal run after each time that something was given back
     */
    static EndpointLease charge(Endpoint endpoint, @Nullable Endpoint prefill, long tokens, boolean promptOnly, Runnable signal) {
        return new EndpointLease(endpoint, prefill, tokens, promptOnly, signal);
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public @Nullable Endpoint prefill() {
        return prefill;
    }

    @Override
    public void firstByte() {
        if ((prefill != null || promptOnly && tokens != 0) && STATE.compareAndSet(this, CHARGED, ANSWERING)) {
            givePrefillBack();
            if (promptOnly) {
                endpoint.counts().giveBackTokens(tokens);
            }
            signal.run();
        }
    }

    /** Gives the charge back, then tells flow control that there is room. */
    @Override
    public void close() {
        if (giveBack()) {
            signal.run();
        }
    }

    /** Takes the charge back as if it had never been made: nobody is told. */
    void undo() {
        giveBack();
    }

    private boolean giveBack() {
        int before = STATE.getAndSet(this, CLOSED);
        if (before == CHARGED) {
            givePrefillBack();
        }
        if (before != CLOSED) {
            endpoint.counts().giveBack(window, before == ANSWERING && promptOnly ? 0 : tokens);
        }
        return before != CLOSED;
    }

    private void givePrefillBack() {
        if (prefill != null && prefillWindow != null) {
            prefill.counts().giveBack(prefillWindow, tokens);
        }
    }
}
