package io.penstock.flow.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Evictable requests: the lowest priority first, of one priority the one dispatched last, which has the least to lose. Drainer only. */
final class VictimHeap {

    private Running[] nodes = new Running[64];
    private int size;

    @Nullable Running first() {
        return size == 0 ? null : nodes[0];
    }

    void add(Running running) {
        if (size == nodes.length) {
            nodes = Arrays.copyOf(nodes, size * 2);
        }
        siftUp(size++, running);
    }

    /** Removes it, if it is here. */
    void remove(Running running) {
        int hole = running.slot;
        if (hole < 0) {
            return;
        }
        running.slot = -1;
        Running last = nodes[--size];
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

    private static boolean isBefore(Running a, Running b) {
        return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
    }

    private void siftUp(int from, Running running) {
        int hole = from;
        while (hole > 0 && isBefore(running, nodes[(hole - 1) >>> 1])) {
            put(hole, nodes[(hole - 1) >>> 1]);
            hole = (hole - 1) >>> 1;
        }
        put(hole, running);
    }

    private void siftDown(int from, Running running) {
        int hole = from;
        int half = size >>> 1;
        while (hole < half) {
            int child = 2 * hole + 1;
            if (child + 1 < size && isBefore(nodes[child + 1], nodes[child])) {
                child++;
            }
            if (isBefore(running, nodes[child])) {
                break;
            }
            put(hole, nodes[child]);
            hole = child;
        }
        put(hole, running);
    }

    private void put(int hole, Running running) {
        nodes[hole] = running;
        running.slot = hole;
    }
}
