package io.penstock.flow.engine;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waiting requests of one flow whose ranks come in any order: a binary heap, best first, whose tickets know their place in it, so that any
 * of them leaves in O(log n). Drainer only.
 */
final class TicketHeap {

    private QueuedTicket[] nodes = new QueuedTicket[64];
    private int size;

    /** Smaller rank first, then arrival; by difference, as ranks are compared everywhere. */
    static boolean isBefore(QueuedTicket a, QueuedTicket b) {
        long order = a.rank - b.rank;
        return order != 0 ? order < 0 : a.arrival - b.arrival < 0;
    }

    int size() {
        return size;
    }

    @Nullable QueuedTicket first() {
        return size == 0 ? null : nodes[0];
    }

    void add(QueuedTicket ticket) {
        if (size == nodes.length) {
            nodes = Arrays.copyOf(nodes, size * 2);
        }
        siftUp(size++, ticket);
    }

    void remove(QueuedTicket ticket) {
        int hole = ticket.slot;
        QueuedTicket last = nodes[--size];
        nodes[size] = null;
        if (hole == size) {
            return;
        }
        if (hole > 0 && isBefore(last, nodes[(hole - 1) >>> 1])) {
            siftUp(hole, last);
        } else {
            siftDown(hole, last);
        }
    }

    /** In no order. */
    void forEach(Consumer<QueuedTicket> action) {
        for (int i = 0; i < size; i++) {
            action.accept(nodes[i]);
        }
    }

    private void siftUp(int from, QueuedTicket ticket) {
        int hole = from;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (!isBefore(ticket, nodes[parent])) {
                break;
            }
            put(hole, nodes[parent]);
            hole = parent;
        }
        put(hole, ticket);
    }

    private void siftDown(int from, QueuedTicket ticket) {
        int hole = from;
        int half = size >>> 1;
        while (hole < half) {
            int child = 2 * hole + 1;
            if (child + 1 < size && isBefore(nodes[child + 1], nodes[child])) {
                child++;
            }
            if (isBefore(ticket, nodes[child])) {
                break;
            }
            put(hole, nodes[child]);
            hole = child;
        }
        put(hole, ticket);
    }

    private void put(int hole, QueuedTicket ticket) {
        nodes[hole] = ticket;
        ticket.slot = hole;
    }
}
