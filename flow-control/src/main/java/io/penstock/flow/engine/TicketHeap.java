package io.penstock.flow.engine;

/** Waiting requests of one flow whose ranks come in any order. Drainer only. */
final class TicketHeap extends SlotHeap<QueuedTicket> {

    /** Smaller rank first, then arrival; by difference, as ranks are compared everywhere. */
    static boolean isBefore(QueuedTicket a, QueuedTicket b) {
        long order = a.rank - b.rank;
        return order != 0 ? order < 0 : a.arrival - b.arrival < 0;
    }

    void remove(QueuedTicket ticket) {
        removeAt(ticket.slot);
    }

    @Override
    boolean before(QueuedTicket one, QueuedTicket other) {
        return isBefore(one, other);
    }

    @Override
    void moved(QueuedTicket ticket, int slot) {
        ticket.slot = slot;
    }
}
