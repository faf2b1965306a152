package io.penstock.proxy.request;

/**
 * Hears of every request, on its event loop: for metrics and the access log. Quick, never blocks, never throws.
 */
public interface RequestObserver {

    /** The head is there. {@link #ended} follows, once. */
    default void started(RequestContext context) {
    }

    /** An endpoint was chosen; may come again after a failover. */
    default void dispatched(RequestContext context) {
    }

    /** It is over, whatever the outcome. */
    void ended(RequestContext context, EndCause cause);
}
