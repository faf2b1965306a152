package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/**
 * Chooses which flow of one band is served next (spec/flow-control sections 4.4 to 4.6). One instance a band, called only by the drainer,
 * which tells it every change of a flow's head: so a policy can keep an index and answer {@link #pick()} in O(1) or O(log n), never by
 * walking the flows. No method may block or allocate per request.
 */
public interface FairnessPolicy {

    /** The plugin type, as in the configuration. */
    String type();

    /** The flow has its first waiting request; it is not known to this policy before. */
    void activated(FlowHandle flow);

    /** The flow has no waiting request any more; the policy forgets it, or keeps only what it owes it. */
    void deactivated(FlowHandle flow);

    /** The band no longer keeps this flow, which has had nothing waiting for a while: should it come back, it is a new one. */
    default void forgotten(FlowHandle flow) {
    }

    /**
     * Another request is at the flow's head, or it has another rank. When all have, because another ordering policy holds, every flow is
     * set aside before the first of these calls and restored after the last: ranks of two orderings do not compare.
     */
    void headChanged(FlowHandle flow);

    /** The flow to serve next, or null for none. Asking has no consequences: only {@link #served} moves a turn on. */
    @Nullable FlowHandle pick();

    /** The head of this flow was dispatched. Called while it is still the head. */
    void served(FlowHandle flow, long bytes);

    /** No endpoint takes the head of this flow just now: {@link #pick()} passes it over, its place kept, until {@link #restore()}. */
    void setAside(FlowHandle flow);

    /** All flows that were set aside are candidates again. */
    void restore();
}
