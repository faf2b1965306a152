package io.penstock.flow;

/** One submission. It settles once: dispatched, cancelled, expired or refused, whichever comes first. Any thread may call it. */
public interface Ticket {

    /**
     * Gives the request up. Its place in the band is free again when this returns.
     *
     * @return true when this call settled the ticket, so that the listener is never called; false when another outcome was first
     */
    boolean cancel();

    /** Whether the request may run; told from the moment on at which the outcome is given to its owner. */
    default boolean dispatched() {
        return false;
    }
}
