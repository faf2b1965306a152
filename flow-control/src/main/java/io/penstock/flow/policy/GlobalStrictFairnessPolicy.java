package io.penstock.flow.policy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import io.penstock.flow.config.BandConfig;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Serves the best head of the whole band, whatever its flow (spec/flow-control section 4.4): with first come, first served it makes the
 * band one queue. A binary heap of the flows, keyed by their heads; the keys lie in arrays of their own, so that a comparison touches no
 * flow. Drainer only.
 */
final class GlobalStrictFairnessPolicy implements FairnessPolicy {

    private static final int FIRST_CAPACITY = 64;

    private FlowHandle[] flows = new FlowHandle[FIRST_CAPACITY];
    private long[] ranks = new long[FIRST_CAPACITY];
    private long[] arrivals = new long[FIRST_CAPACITY];
    private int size;

    private FlowHandle[] aside = new FlowHandle[8];
    private int asideSize;

    @Override
    public String type() {
        return BandConfig.GLOBAL_STRICT;
    }

    @Override
    public void activated(FlowHandle flow) {
        if (size == flows.length) {
            grow();
        }
        siftUp(size++, flow, flow.headRank(), flow.headArrival());
    }

    @Override
    public void deactivated(FlowHandle flow) {
        int hole = flow.slot();
        if (hole < 0) {
            forgetAside(flow);
            return;
        }
        FlowHandle last = flows[--size];
        flows[size] = null;
        if (hole < size) {
            place(hole, last, ranks[size], arrivals[size]);
        }
    }

    @Override
    public void headChanged(FlowHandle flow) {
        if (flow.slot() >= 0) {
            place(flow.slot(), flow, flow.headRank(), flow.headArrival());
        }
    }

    @Override
    public @Nullable FlowHandle pick() {
        return size == 0 ? null : flows[0];
    }

    @Override
    public void served(FlowHandle flow, long bytes) {
        // Stateless: the next pick is the next best head.
    }

    @Override
    public void setAside(FlowHandle flow) {
        deactivated(flow);
        flow.slot(-1);
        if (asideSize == aside.length) {
            aside = Arrays.copyOf(aside, asideSize * 2);
        }
        aside[asideSize++] = flow;
    }

    @Override
    public void restore() {
        while (asideSize > 0) {
            FlowHandle flow = aside[--asideSize];
            aside[asideSize] = null;
            activated(flow);
        }
    }

    private void forgetAside(FlowHandle flow) {
        for (int i = 0; i < asideSize; i++) {
            if (aside[i] == flow) {
                aside[i] = aside[--asideSize];
                aside[asideSize] = null;
                return;
            }
        }
    }

    private void grow() {
        int capacity = size * 2;
        flows = Arrays.copyOf(flows, capacity);
        ranks = Arrays.copyOf(ranks, capacity);
        arrivals = Arrays.copyOf(arrivals, capacity);
    }

    private void place(int hole, FlowHandle flow, long rank, long arrival) {
        int parent = (hole - 1) >>> 1;
        if (hole > 0 && before(rank, arrival, parent)) {
            siftUp(hole, flow, rank, arrival);
        } else {
            siftDown(hole, flow, rank, arrival);
        }
    }

    private void siftUp(int from, FlowHandle flow, long rank, long arrival) {
        int hole = from;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (!before(rank, arrival, parent)) {
                break;
            }
            put(hole, flows[parent], ranks[parent], arrivals[parent]);
            hole = parent;
        }
        put(hole, flow, rank, arrival);
    }

    private void siftDown(int from, FlowHandle flow, long rank, long arrival) {
        int hole = from;
        int half = size >>> 1;
        while (hole < half) {
            int child = 2 * hole + 1;
            int right = child + 1;
            if (right < size && before(ranks[right], arrivals[right], child)) {
                child = right;
            }
            if (before(rank, arrival, child)) {
                break;
            }
            put(hole, flows[child], ranks[child], arrivals[child]);
            hole = child;
        }
        put(hole, flow, rank, arrival);
    }

    private boolean before(long rank, long arrival, int other) {
        long order = rank - ranks[other];
        return order != 0 ? order < 0 : arrival < arrivals[other];
    }

    private void put(int hole, FlowHandle flow, long rank, long arrival) {
        flows[hole] = flow;
        ranks[hole] = rank;
        arrivals[hole] = arrival;
        flow.slot(hole);
    }
}
