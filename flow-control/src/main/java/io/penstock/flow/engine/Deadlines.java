package io.penstock.flow.engine;

import java.util.function.Consumer;

/**
 * When the wait of each linked ticket ends. A change of regime gives all of them a new deadline without touching one: from then on new ones
 * go into the other of two wheels, and what the first still holds moves over in parts, a part a step. Coming back before that is done
 * loses nothing, since within a regime deadlines only ever move away: a ticket that is found too early is put in again. Drainer only.
 */
final class Deadlines {

    /** Tickets looked at in one step. */
    static final int PART = 128;

    private final WaitBudget budget;
    private final Consumer<QueuedTicket> expired;
    private final Consumer<QueuedTicket> visit = this::visit;
    private ExpiryWheel armed;
    private ExpiryWheel stale;
    private boolean sweeping;
    private long now;

    /**
     * @param expired ends a ticket's wait; it is in no wheel any more
     */
    Deadlines(WaitBudget budget, long now, Consumer<QueuedTicket> expired) {
        this.budget = budget;
        this.expired = expired;
        this.now = now;
        this.armed = new ExpiryWheel(now);
        this.stale = new ExpiryWheel(now);
    }

    void add(QueuedTicket ticket) {
        if (budget.limits(ticket)) {
            armed.add(ticket, budget.deadline(ticket));
        } else {
            armed.addForEver(ticket);
        }
    }

    void remove(QueuedTicket ticket) {
        ExpiryWheel wheel = ticket.wheel;
        if (wheel != null) {
            wheel.remove(ticket);
        }
    }

    /** The budgets of this ticket have changed, in whatever direction. */
    void again(QueuedTicket ticket) {
        remove(ticket);
        add(ticket);
    }

    /** The regime has changed. */
    void flip() {
        ExpiryWheel other = stale;
        stale = armed;
        stale.rewind();
        armed = other;
    }

    /** What is due is to be found, from now on and in parts. */
    void sweep() {
        sweeping = true;
    }

    /** Does the next part. */
    void work(long nanos) {
        now = nanos;
        if (sweeping) {
            sweeping = armed.expire(nanos, PART, visit);
        }
        stale.drain(PART, visit);
    }

    /** Whether {@link #work} has more to do. */
    boolean busy() {
        return sweeping || stale.size() > 0;
    }

    private void visit(QueuedTicket ticket) {
        remove(ticket);
        if (budget.over(ticket, now)) {
            expired.accept(ticket);
        } else {
            add(ticket);
        }
    }
}
