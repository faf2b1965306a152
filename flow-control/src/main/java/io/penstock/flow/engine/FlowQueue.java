package io.penstock.flow.engine;

import io.penstock.flow.FlowHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests of one flow, best first: a list through the tickets themselves, so that any of them leaves it in O(1). A newcomer is
 * placed from the tail: O(1) for ranks that mostly rise with arrival, as those of first come, first served do. Where one belongs further
 * ahead than a few places, the flow becomes a heap until it is empty: then every step is O(log n). Drainer only; length and head may be
 * peeked at from elsewhere, as estimates.
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

    /** So many places a newcomer goes ahead before the list becomes a heap. */
    private static final int STEPS = 16;

    /** Where this flow belongs. */
    final BandQueues queues;

    private final String fairnessId;
    private int length;
    private @Nullable QueuedTicket head;
    private @Nullable QueuedTicket tail;
    /** What waits, instead of the list; null while that is in use. */
    private @Nullable TicketHeap heap;
    private final int steps;
    private int slot;

    // For IdleFlows: the list of flows without requests.
    @Nullable FlowQueue idleBefore;
    @Nullable FlowQueue idleAfter;
    long idleSinceNanos;

    private FlowQueue(BandQueues queues, String fairnessId, int steps) {
        this.queues = queues;
        this.fairnessId = fairnessId;
        this.steps = steps;
    }

    FlowQueue(BandQueues queues, String fairnessId) {
        this(queues, fairnessId, STEPS);
    }

    /** A queue that stays a list, so that it can be walked through {@link QueuedTicket#after}. */
    static FlowQueue list(BandQueues queues, String name) {
        return new FlowQueue(queues, name, Integer.MAX_VALUE);
    }

    @Nullable QueuedTicket head() {
        return head;
    }

    void insert(QueuedTicket ticket) {
        if (heap == null && !link(ticket)) {
            heap = toHeap();
        }
        if (heap != null) {
            heap.add(ticket);
            HEAD.setRelease(this, heap.first());
        }
        ticket.flow = this;
        LENGTH.setOpaque(this, length + 1);
    }

    void remove(QueuedTicket ticket) {
        if (heap == null) {
            unlink(ticket);
        } else {
            heap.remove(ticket);
            HEAD.setRelease(this, heap.first());
            if (heap.size() == 0) {
                heap = null;
            }
        }
        ticket.flow = null;
        LENGTH.setOpaque(this, length - 1);
    }

    /** Every request; the consumer must not insert or remove. */
    void forEach(Consumer<QueuedTicket> action) {
        if (heap != null) {
            heap.forEach(action);
            return;
        }
        for (QueuedTicket ticket = head; ticket != null; ticket = ticket.after) {
            action.accept(ticket);
        }
    }

    /** Puts everything into its order anew; {@code rank} gives each request the rank that counts from now on. */
    void reorder(Consumer<QueuedTicket> rank) {
        TicketHeap sorted = new TicketHeap();
        forEach(ticket -> {
            rank.accept(ticket);
            sorted.add(ticket);
        });
        heap = null;
        tail = null;
        HEAD.setRelease(this, null);
        for (QueuedTicket best = sorted.first(); best != null; best = sorted.first()) {
            sorted.remove(best);
            linkAfter(tail, best);
        }
    }

    /** Puts it into the list, unless its place is too far ahead. */
    private boolean link(QueuedTicket ticket) {
        QueuedTicket previous = tail;
        for (int left = steps; previous != null && TicketHeap.isBefore(ticket, previous); left--) {
            if (left == 0) {
                return false;
            }
            previous = previous.before;
        }
        linkAfter(previous, ticket);
        return true;
    }

    private void linkAfter(@Nullable QueuedTicket previous, QueuedTicket ticket) {
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
    }

    private void unlink(QueuedTicket ticket) {
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
    }

    /** The list, made a heap: sorted as it is, each ticket stays where it is put. */
    private TicketHeap toHeap() {
        TicketHeap made = new TicketHeap();
        QueuedTicket ticket = head;
        while (ticket != null) {
            QueuedTicket next = ticket.after;
            ticket.before = null;
            ticket.after = null;
            made.add(ticket);
            ticket = next;
        }
        tail = null;
        return made;
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
