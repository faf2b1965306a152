package io.penstock.flow.engine;

/** Evictable requests: the lowest priority first, of one priority the one dispatched last, which has the least to lose. Drainer only. */
final class VictimHeap extends SlotHeap<Running> {

    /** Removes it, if it is here. */
    void remove(Running running) {
        int slot = running.slot;
        if (slot >= 0) {
            running.slot = -1;
            removeAt(slot);
        }
    }

    @Override
    boolean before(Running one, Running other) {
        return one.priority != other.priority ? one.priority < other.priority : one.order > other.order;
    }

    @Override
    void moved(Running running, int slot) {
        running.slot = slot;
    }
}
