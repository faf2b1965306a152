package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/**
 * Where flow control tells what happened, for metrics and logs. Called on whatever thread made it happen: implementations are quick, never
 * block and never throw.
 */
public interface FlowEvents {

    /** Tells nobody. */
    FlowEvents NONE = new FlowEvents() {
    };

    /** A request was submitted: from now on it counts into queue size and bytes, until {@link #settled}. */
    default void submitted(FlowKey requested, long bytes) {
    }

    /** A submission ended, whatever the outcome. */
    default void settled(FlowKey requested, FlowKey effective, Outcome outcome, long bytes, long waitedNanos) {
    }

    /**
     * The drainer took an arrival in, or found it settled by then.
     *
     * @param outcome null when the request waits now
     * @param nanos since its submission
     */
    default void enqueued(FlowKey effective, @Nullable Outcome outcome, long nanos) {
    }

    /** Nothing of this flow has waited for a while: it is forgotten, and its series may go. */
    default void flowRemoved(FlowKey flow) {
    }

    /** Running requests were told to stop so that the band of that priority may dispatch (spec/flow-control section 9). */
    default void revoked(int demandPriority, int requests) {
    }

    /**
     * A revocation ended.
     *
     * @param confirmed whether the request's stream ended; false when that took too long
     * @param nanos since it was issued
     */
    default void revocationEnded(boolean confirmed, long nanos) {
    }

    /** How much saturation was to be reclaimed at the last sizing. */
    default void reclaimTarget(double target) {
    }

    /** How much saturation is being reclaimed at this moment. */
    default void reclaimPending(double pending) {
    }

    /** A stage was measured. */
    default void stageSaturation(Stage stage, double value) {
    }

    /** A stage has no endpoints: its series goes. */
    default void stageEmpty(Stage stage) {
    }

    /** What dispatch is gated on was measured. */
    default void effectiveSaturation(double value) {
    }

    /** A band's fill was measured; limits are {@link CapacitySnapshot#UNBOUNDED} where there are none. */
    default void bandFill(int priority, long requests, long maxRequests, long bytes, long maxBytes) {
    }

    /** A band has gone. */
    default void bandRemoved(int priority) {
    }

    /** The global limit's fill was measured; limits are {@link CapacitySnapshot#UNBOUNDED} where there are none. */
    default void globalFill(long requests, long maxRequests, long bytes, long maxBytes) {
    }

    /** A decision took this long. */
    default void decided(long nanos) {
    }

    /** A submission named a band that is not provisioned and went to band 0. */
    default void fellBack(FlowKey requested) {
    }

    /** A policy, detector or placement threw; its band is closed for this decision. */
    default void failed(String what, Throwable cause) {
    }
}
