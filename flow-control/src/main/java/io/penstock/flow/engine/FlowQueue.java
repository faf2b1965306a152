package io.penstock.flow.engine;

import io.penstock.flow.FlowHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests of one flow, best first: a list through the tickets themselves, so that any of them leaves it in O(1). A newcomer is
 * placed from the tail: O(1) for ranks that mostly rise with arrival, as those of first come, first served and of deadlines do. Drainer
 * only; length and head may be peeked at from elsewhere, as estimates.
 */
final class FlowQueue implements FlowHandle {

    private static final VarHandle LENGTH;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LENGTH = lookup.findVarHandle(FlowQueue.class, "length", int.class);
            HEAD = lookup.findVarHandle(FlowQueue.class, "head", QueuedTicket.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Where this flow belongs. */
    final BandQueues queues;

    private final String fairnessId;
    private int length;
    private @Nullable QueuedTicket head;
    private @Nullable QueuedTicket tail;
    private int slot;

    // For IdleFlows: the list of flows without requests.
    @Nullable FlowQueue idleBefore;
    @Nullable FlowQueue idleAfter;
    long idleSinceNanos;

    FlowQueue(BandQueues queues, String fairnessId) {
        this.queues = queues;
        this.fairnessId = fairnessId;
    }

    @Nullable QueuedTicket head() {
        return head;
    }

    void insert(QueuedTicket ticket) {
        QueuedTicket previous = tail;
        while (previous != null && isBefore(ticket, previous)) {
            previous = previous.before;
        }
        QueuedTicket next = previous == null ? head : previous.after;
        ticket.before = previous;
        ticket.after = next;
        if (previous == null) {
            HEAD.setRelease(this, ticket);
        } else {
            previous.after = ticket;
        }
        if (next == null) {
            tail = ticket;
        } else {
            next.before = ticket;
        }
        ticket.flow = this;
        LENGTH.setOpaque(this, length + 1);
    }

    void remove(QueuedTicket ticket) {
        QueuedTicket previous = ticket.before;
        QueuedTicket next = ticket.after;
        if (previous == null) {
            HEAD.setRelease(this, next);
        } else {
            previous.after = next;
        }
        if (next == null) {
            tail = previous;
        } else {
            next.before = previous;
        }
        ticket.before = null;
        ticket.after = null;
        ticket.flow = null;
        LENGTH.setOpaque(this, length - 1);
    }

    private static boolean isBefore(QueuedTicket a, QueuedTicket b) {
        long order = a.rank - b.rank;
        return order != 0 ? order < 0 : a.arrival - b.arrival < 0;
    }

    /** The length from any thread, as it was a moment ago. */
    int peekLength() {
        return (int) LENGTH.getOpaque(this);
    }

    /** How long the head has waited, from any thread; 0 when nothing waits. */
    long peekWait(long now) {
        QueuedTicket first = (QueuedTicket) HEAD.getAcquire(this);
        return first == null ? 0 : Math.max(0, now - first.submittedNanos);
    }

    @Override
    public String fairnessId() {
        return fairnessId;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public long headRank() {
        return first().rank;
    }

    @Override
    public long headArrival() {
        return first().arrival;
    }

    @Override
    public long headBytes() {
        return first().bytes;
    }

    @Override
    public long headTokens() {
        return first().tokens;
    }

    @Override
    public long headSubmittedNanos() {
        return first().submittedNanos;
    }

    @Override
    public int slot() {
        return slot;
    }

    @Override
    public void slot(int index) {
        slot = index;
    }

    private QueuedTicket first() {
        QueuedTicket first = head;
        if (first == null) {
            throw new IllegalStateException("flow " + fairnessId + ": empty (expected: a waiting request)");
        }
        return first;
    }
}
