package io.penstock.flow.policy;

import io.penstock.flow.FlowHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Flows by a key and, where it is equal, by a tie-breaker; both are compared by difference. A binary heap whose keys lie in arrays of their
 * own, so that a comparison touches no flow; {@link FlowHandle#slot} is a flow's place in it, or {@code ~place} among those set aside. The
 * first is found in O(1), everything else takes O(log n) of the flows in it. Drainer only.
 */
final class FlowHeap {

    private static final int FIRST_CAPACITY = 64;

    private FlowHandle[] flows = new FlowHandle[FIRST_CAPACITY];
    private long[] keys = new long[FIRST_CAPACITY];
    private long[] ties = new long[FIRST_CAPACITY];
    private int size;

    private FlowHandle[] aside = new FlowHandle[8];
    private long[] asideKeys = new long[8];
    private long[] asideTies = new long[8];
    private int asideSize;

    /** Whether there is no flow in it, none set aside either. */
    boolean isEmpty() {
        return size == 0 && asideSize == 0;
    }

    @Nullable FlowHandle first() {
        return size == 0 ? null : flows[0];
    }

    void add(FlowHandle flow, long key, long tie) {
        if (size == flows.length) {
            grow();
        }
        siftUp(size++, flow, key, tie);
    }

    /** The key of a flow that is in it. */
    long key(FlowHandle flow) {
        int slot = flow.slot();
        return slot < 0 ? asideKeys[~slot] : keys[slot];
    }

    void change(FlowHandle flow, long key, long tie) {
        int slot = flow.slot();
        if (slot < 0) {
            asideKeys[~slot] = key;
            asideTies[~slot] = tie;
        } else {
            place(slot, flow, key, tie);
        }
    }

    void remove(FlowHandle flow) {
        int slot = flow.slot();
        if (slot < 0) {
            removeAside(~slot);
        } else {
            removeAt(slot);
        }
    }

    /** Hides a flow from {@link #first()}; its key is kept. */
    void setAside(FlowHandle flow) {
        int slot = flow.slot();
        if (slot < 0) {
            return;
        }
        if (asideSize == aside.length) {
            aside = Arrays.copyOf(aside, asideSize * 2);
            asideKeys = Arrays.copyOf(asideKeys, asideSize * 2);
            asideTies = Arrays.copyOf(asideTies, asideSize * 2);
        }
        aside[asideSize] = flow;
        asideKeys[asideSize] = keys[slot];
        asideTies[asideSize] = ties[slot];
        removeAt(slot);
        flow.slot(~asideSize++);
    }

    void restore() {
        while (asideSize > 0) {
            FlowHandle flow = aside[--asideSize];
            aside[asideSize] = null;
            add(flow, asideKeys[asideSize], asideTies[asideSize]);
        }
    }

    private void removeAside(int hole) {
        FlowHandle last = aside[--asideSize];
        aside[hole] = last;
        asideKeys[hole] = asideKeys[asideSize];
        asideTies[hole] = asideTies[asideSize];
        last.slot(~hole);
        aside[asideSize] = null;
    }

    private void removeAt(int hole) {
        FlowHandle last = flows[--size];
        flows[size] = null;
        if (hole < size) {
            place(hole, last, keys[size], ties[size]);
        }
    }

    private void grow() {
        int capacity = size * 2;
        flows = Arrays.copyOf(flows, capacity);
        keys = Arrays.copyOf(keys, capacity);
        ties = Arrays.copyOf(ties, capacity);
    }

    private void place(int hole, FlowHandle flow, long key, long tie) {
        int parent = (hole - 1) >>> 1;
        if (hole > 0 && before(key, tie, parent)) {
            siftUp(hole, flow, key, tie);
        } else {
            siftDown(hole, flow, key, tie);
        }
    }

    private void siftUp(int from, FlowHandle flow, long key, long tie) {
        int hole = from;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (!before(key, tie, parent)) {
                break;
            }
            put(hole, flows[parent], keys[parent], ties[parent]);
            hole = parent;
        }
        put(hole, flow, key, tie);
    }

    private void siftDown(int from, FlowHandle flow, long key, long tie) {
        int hole = from;
        int half = size >>> 1;
        while (hole < half) {
            int child = 2 * hole + 1;
            int right = child + 1;
            if (right < size && before(keys[right], ties[right], child)) {
                child = right;
            }
            if (before(key, tie, child)) {
                break;
            }
            put(hole, flows[child], keys[child], ties[child]);
            hole = child;
        }
        put(hole, flow, key, tie);
    }

    private boolean before(long key, long tie, int other) {
        long order = key - keys[other];
        return order != 0 ? order < 0 : tie - ties[other] < 0;
    }

    private void put(int hole, FlowHandle flow, long key, long tie) {
        flows[hole] = flow;
        keys[hole] = key;
        ties[hole] = tie;
        flow.slot(hole);
    }
}
