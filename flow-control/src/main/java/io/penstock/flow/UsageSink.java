package io.penstock.flow;

/**
 * Hears what a dispatched request has cost once it has ended, for policies that share by service and not by requests (spec/flow-control
 * section 4.6). Any thread; quick, never blocks and never throws.
 */
@FunctionalInterface
public interface UsageSink {

    /** Tells nobody. */
    UsageSink NONE = (flow, promptTokens, completionTokens) -> {
    };

    /**
     * A request that {@link AdmissionListener#onDispatched} was told of has ended. Called exactly once for each.
     *
     * @param flow the flow that admitted it
     * @param promptTokens of its parsed answer, 0 where it has none
     * @param completionTokens of its parsed answer, 0 where it has none
     */
    void finished(FlowKey flow, long promptTokens, long completionTokens);
}
