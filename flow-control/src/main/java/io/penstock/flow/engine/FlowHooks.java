package io.penstock.flow.engine;

import io.penstock.flow.Placement;

/** Lets a test hold a step of the engine. Called by the drainer. */
public interface FlowHooks {

    /** Holds nothing. */
    FlowHooks NONE = new FlowHooks() {
    };

    /**
     * While true, a set given to {@link io.penstock.flow.FlowController#provision} stays unapplied and requests for its new bands fall back
     * to band 0; it is asked again at the next signal or tick. Must not block.
     */
    default boolean holdProvisioning() {
        return false;
    }

    /** What stands in for the placement, so that a test sees each charge as the drainer makes it. Asked once, when the proxy is made. */
    default Placement around(Placement placement) {
        return placement;
    }
}
