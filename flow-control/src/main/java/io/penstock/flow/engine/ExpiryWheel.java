package io.penstock.flow.engine;

import java.util.function.Consumer;

/**
 * Every waiting ticket that has a budget, by the time at which it ends: O(1) to add and to remove, and a tick looks only at what may be
 * due, not at all that waits. A ring of lists, about 4 ms a list and 4 s a round; later deadlines wait for their round. Drainer only.
 */
final class ExpiryWheel {

    /** The bucket of a ticket that is in no list. */
    static final int NONE = -1;

    private static final int SHIFT = 22;
    private static final int SIZE = 1024;
    private static final int MASK = SIZE - 1;

    private final QueuedTicket[] heads = new QueuedTicket[SIZE];
    private final long originNanos;
    private long cursor;

    ExpiryWheel(long originNanos) {
        this.originNanos = originNanos;
    }

    /** Adds a ticket whose {@code deadlineNanos} is set. */
    void add(QueuedTicket ticket) {
        long turn = Math.max(cursor, turn(ticket.deadlineNanos));
        int bucket = (int) turn & MASK;
        QueuedTicket next = heads[bucket];
        ticket.bucket = bucket;
        ticket.wheelAfter = next;
        if (next != null) {
            next.wheelBefore = ticket;
        }
        heads[bucket] = ticket;
    }

    /** Removes a ticket; one that is in no list is left alone. */
    void remove(QueuedTicket ticket) {
        if (ticket.bucket == NONE) {
            return;
        }
        QueuedTicket before = ticket.wheelBefore;
        QueuedTicket after = ticket.wheelAfter;
        if (before == null) {
            heads[ticket.bucket] = after;
        } else {
            before.wheelAfter = after;
        }
        if (after != null) {
            after.wheelBefore = before;
        }
        ticket.wheelBefore = null;
        ticket.wheelAfter = null;
        ticket.bucket = NONE;
    }

    /** Hands every ticket whose deadline is {@code now} or earlier to {@code due}, which removes it. */
    void expire(long now, Consumer<QueuedTicket> due) {
        long last = turn(now);
        long first = Math.max(cursor, last - MASK);
        for (long turn = first; turn <= last; turn++) {
            QueuedTicket ticket = heads[(int) turn & MASK];
            while (ticket != null) {
                QueuedTicket next = ticket.wheelAfter;
                if (now - ticket.deadlineNanos >= 0) {
                    due.accept(ticket);
                }
                ticket = next;
            }
        }
        // The list of this moment is looked at again: it holds deadlines a little later than now.
        cursor = Math.max(cursor, last);
    }

    private long turn(long nanos) {
        return (nanos - originNanos) >> SHIFT;
    }
}
