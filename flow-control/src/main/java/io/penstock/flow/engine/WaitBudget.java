package io.penstock.flow.engine;

/**
 * How long a request may wait, in the two regimes of the pool: its own budget while there are endpoints, the global no-endpoint budget
 * while there are none; a flip between them starts the budget of everything that waits anew (spec/flow-control section 3.3). Times are
 * compared by difference, since the clock may overflow. Drainer only.
 */
final class WaitBudget {

    /** About 73 years: far enough, and near enough that a deadline can be compared by difference. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE >> 2;

    private long noEndpointNanos;
    private boolean empty;
    private boolean flipped;
    private long sinceNanos;

    WaitBudget(long noEndpointNanos) {
        this.noEndpointNanos = noEndpointNanos;
    }

    long noEndpointNanos() {
        return noEndpointNanos;
    }

    /** Takes another no-endpoint budget over. Every deadline may have changed. */
    void noEndpointNanos(long nanos) {
        noEndpointNanos = nanos;
    }

    /** Notes whether the pool is empty; true when that has changed, and with it every deadline. */
    boolean observe(boolean poolEmpty, long now) {
        if (poolEmpty == empty) {
            return false;
        }
        empty = poolEmpty;
        flipped = true;
        sinceNanos = now;
        return true;
    }

    boolean poolEmpty() {
        return empty;
    }

    /** Whether the ticket's wait ever ends in this regime. */
    boolean limits(QueuedTicket ticket) {
        return budget(ticket) > 0;
    }

    /** When the ticket's wait ends, provided that it {@link #limits} it. */
    long deadline(QueuedTicket ticket) {
        long from = ticket.submittedNanos;
        if (flipped && sinceNanos - from > 0) {
            from = sinceNanos;
        }
        return from + Math.min(budget(ticket), LONGEST_NANOS);
    }

    /** Whether the ticket must not be dispatched any more. */
    boolean over(QueuedTicket ticket, long now) {
        return limits(ticket) && now - deadline(ticket) >= 0;
    }

    private long budget(QueuedTicket ticket) {
        return empty ? noEndpointNanos : ticket.band.budget(ticket.ttlNanos);
    }
}
