package io.penstock.flow.engine;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap, best first, whose members know their slot in it, so that any of them leaves in O(log n). The first is found in O(1).
 * Drainer only.
 */
abstract class SlotHeap<T> {

    private static final int FIRST_CAPACITY = 64;

    private Object[] nodes = new Object[FIRST_CAPACITY];
    private int size;

    /** The order; no two members are equal. */
    abstract boolean before(T one, T other);

    /** Notes the member's slot. */
    abstract void moved(T member, int slot);

    @SuppressWarnings("unchecked")
    private T at(int slot) {
        return (T) nodes[slot];
    }

    int size() {
        return size;
    }

    @Nullable T first() {
        return size == 0 ? null : at(0);
    }

    void add(T member) {
        if (size == nodes.length) {
            nodes = Arrays.copyOf(nodes, size * 2);
        }
        siftUp(size++, member);
    }

    /** Removes the member in that slot. */
    void removeAt(int hole) {
        T last = at(--size);
        nodes[size] = null;
        if (hole == size) {
            return;
        }
        if (hole > 0 && before(last, at((hole - 1) >>> 1))) {
            siftUp(hole, last);
        } else {
            siftDown(hole, last);
        }
    }

    /** In no order. */
    void forEach(Consumer<T> action) {
        for (int i = 0; i < size; i++) {
            action.accept(at(i));
        }
    }

    private void siftUp(int from, T member) {
        int hole = from;
        while (hole > 0) {
            T parent = at((hole - 1) >>> 1);
            if (!before(member, parent)) {
                break;
            }
            put(hole, parent);
            hole = (hole - 1) >>> 1;
        }
        put(hole, member);
    }

    private void siftDown(int from, T member) {
        int hole = from;
        int half = size >>> 1;
        while (hole < half) {
            int child = 2 * hole + 1;
            if (child + 1 < size && before(at(child + 1), at(child))) {
                child++;
            }
            if (before(member, at(child))) {
                break;
            }
            put(hole, at(child));
            hole = child;
        }
        put(hole, member);
    }

    private void put(int hole, T member) {
        nodes[hole] = member;
        moved(member, hole);
    }
}
