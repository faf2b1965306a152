package io.penstock.flow.policy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import org.jspecify.annotations.Nullable;

/**
 * Serves the flows in turn, in the order of their ids, one request each whatever its size (spec/flow-control section 4.5). The turn goes on
 * behind the flow that was served last, also when that has nothing waiting any more; it starts again at the first one when the band has
 * forgotten that flow, and when nothing waits at all. A pick takes O(log n) of the flows with waiting requests; idle flows cost nothing.
 * Drainer only.
 */
final class RoundRobinFairnessPolicy implements FairnessPolicy {

    static final String TYPE = "round-robin-fairness-policy";

    private final SortedFlows flows = new SortedFlows();
    private @Nullable FlowHandle last;

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public void activated(FlowHandle flow) {
        flows.add(flow);
    }

    @Override
    public void deactivated(FlowHandle flow) {
        flows.remove(flow);
        if (flows.size() == 0) {
            last = null;
        }
    }

    @Override
    public void forgotten(FlowHandle flow) {
        if (flow == last) {
            last = null;
        }
    }

    @Override
    public void headChanged(FlowHandle flow) {
        // Only the flow's id has a place in the order.
    }

    @Override
    public @Nullable FlowHandle pick() {
        return flows.after(last == null ? null : last.fairnessId());
    }

    @Override
    public void served(FlowHandle flow, long bytes) {
        last = flow;
    }

    @Override
    public void setAside(FlowHandle flow) {
        flows.setAside(flow);
    }

    @Override
    public void restore() {
        flows.restore();
    }
}
