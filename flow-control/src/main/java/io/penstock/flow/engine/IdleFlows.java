package io.penstock.flow.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The flows of one band without requests, the longest idle first. They are kept for a while, so that a busy tenant's flow is not made anew
 * for every request, and not for ever, so that invented fairness ids do not fill the memory. Drainer only.
 */
final class IdleFlows {

    /** As long as llm-d keeps one (spec/flow-control section 1.4). */
    static final long KEEP_NANOS = TimeUnit.MINUTES.toNanos(5);
    /** At most so many, whatever their age. */
    static final int KEEP_MOST = 8192;

    private @Nullable FlowQueue oldest;
    private @Nullable FlowQueue newest;
    private int size;

    /** Adds a flow that has become idle. */
    void add(FlowQueue flow, long now) {
        flow.idleSinceNanos = now;
        flow.idleBefore = newest;
        if (newest == null) {
            oldest = flow;
        } else {
            newest.idleAfter = flow;
        }
        newest = flow;
        size++;
    }

    void remove(FlowQueue flow) {
        FlowQueue before = flow.idleBefore;
        FlowQueue after = flow.idleAfter;
        if (before == null) {
            oldest = after;
        } else {
            before.idleAfter = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.idleBefore = before;
        }
        flow.idleBefore = null;
        flow.idleAfter = null;
        size--;
    }

    /** Whether there are too many, whatever their age; ageing is the tick's work. */
    boolean crowded() {
        return size > KEEP_MOST;
    }

    /** Lets go of some of what is idle too long, or too much; of the rest when it is called again. */
    void evict(long now, int most, Consumer<FlowQueue> gone) {
        FlowQueue flow = oldest;
        for (int left = most; left > 0 && flow != null; left--) {
            if (size <= KEEP_MOST && now - flow.idleSinceNanos < KEEP_NANOS) {
                return;
            }
            remove(flow);
            gone.accept(flow);
            flow = oldest;
        }
    }
}
