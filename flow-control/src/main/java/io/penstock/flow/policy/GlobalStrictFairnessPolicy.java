package io.penstock.flow.policy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import io.penstock.flow.config.BandConfig;
import org.jspecify.annotations.Nullable;

/**
 * Serves the best head of the whole band, whatever its flow (spec/flow-control section 4.4): with first come, first served it makes the
 * band one queue. A heap of the flows, keyed by their heads. Drainer only.
 */
final class GlobalStrictFairnessPolicy implements FairnessPolicy {

    private final FlowHeap heads = new FlowHeap();

    @Override
    public String type() {
        return BandConfig.GLOBAL_STRICT;
    }

    @Override
    public void activated(FlowHandle flow) {
        heads.add(flow, flow.headRank(), flow.headArrival());
    }

    @Override
    public void deactivated(FlowHandle flow) {
        heads.remove(flow);
    }

    @Override
    public void headChanged(FlowHandle flow) {
        heads.change(flow, flow.headRank(), flow.headArrival());
    }

    @Override
    public @Nullable FlowHandle pick() {
        return heads.first();
    }

    @Override
    public void served(FlowHandle flow, long bytes) {
        // Stateless: the next pick is the next best head.
    }

    @Override
    public void setAside(FlowHandle flow) {
        heads.setAside(flow);
    }

    @Override
    public void restore() {
        heads.restore();
    }
}
