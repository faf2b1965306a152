package io.penstock.flow.engine;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waiting tickets by the time at which their wait ends, or may end at the earliest: O(1) to add and to remove, and a tick looks only at
 * what may be due, not at all that waits. A ring of lists, about 4 ms a list and 4 s a round; later deadlines wait for their round. One
 * more list holds those that wait for ever. Long work is done in parts. Drainer only.
 */
final class ExpiryWheel {

    private static final int SHIFT = 22;
    private static final int SIZE = 1024;
    private static final int MASK = SIZE - 1;
    /** The list of those without a deadline. */
    private static final int NEVER = SIZE;

    private final QueuedTicket[] heads = new QueuedTicket[SIZE + 1];
    private final long originNanos;
    private int size;

    /** The list that is looked at, and the last one of this pass. */
    private long cursor;
    private long last;
    /** The next ticket of the list at the cursor; null when none is left in it. */
    private @Nullable QueuedTicket resume;
    /** The list that {@link #drain} empties. */
    private int drained;

    ExpiryWheel(long originNanos) {
        this.originNanos = originNanos;
    }

    int size() {
        return size;
    }

    /** Adds a ticket that is due at {@code deadlineNanos}, not earlier. */
    void add(QueuedTicket ticket, long deadlineNanos) {
        // A pass that has begun with a list and has others before it does not come back to what is put into that list now.
        long first = cursor < last ? cursor + 1 : cursor;
        link(ticket, (int) Math.max(first, turn(deadlineNanos)) & MASK);
    }

    /** Adds a ticket that is never due. */
    void addForEver(QueuedTicket ticket) {
        link(ticket, NEVER);
    }

    private void link(QueuedTicket ticket, int list) {
        QueuedTicket next = heads[list];
        ticket.wheel = this;
        ticket.bucket = list;
        ticket.wheelAfter = next;
        if (next != null) {
            next.wheelBefore = ticket;
        }
        heads[list] = ticket;
        size++;
    }

    /** Removes a ticket of this wheel. */
    void remove(QueuedTicket ticket) {
        QueuedTicket before = ticket.wheelBefore;
        QueuedTicket after = ticket.wheelAfter;
        if (ticket == resume) {
            resume = after;
        }
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
        ticket.wheel = null;
        size--;
    }

    /**
     * Hands every ticket that may be due at {@code now} to {@code visit}, which removes it and may add it again.
     *
     * @param most how many tickets to visit at most
     * @return whether some are left: then it goes on where it stopped when it is called again
     */
    boolean expire(long now, int most, Consumer<QueuedTicket> visit) {
        if (resume == null && cursor >= last) {
            // A new pass. It begins with the list of the last moment, which held deadlines a little later than that.
            last = Math.max(cursor, turn(now));
            cursor = Math.max(cursor, last - MASK);
            resume = heads[(int) cursor & MASK];
        }
        int left = most;
        for (;;) {
            while (resume != null) {
                if (left-- == 0) {
                    return true;
                }
                QueuedTicket ticket = resume;
                resume = ticket.wheelAfter;
                visit.accept(ticket);
            }
            if (cursor >= last) {
                return false;
            }
            cursor++;
            resume = heads[(int) cursor & MASK];
        }
    }

    /** {@link #drain} begins anew. */
    void rewind() {
        drained = 0;
    }

    /** Hands up to so many tickets, whatever their deadline, to {@code visit}, which removes them. */
    void drain(int most, Consumer<QueuedTicket> visit) {
        for (int left = most; left > 0 && size > 0; left--) {
            while (heads[drained] == null) {
                drained++;
            }
            visit.accept(heads[drained]);
        }
    }

    private long turn(long nanos) {
        return (nanos - originNanos) >> SHIFT;
    }
}
