package io.penstock.flow.engine;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.FlowHandle;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a fairness policy that throws from breaking the queues around it: its band picks nothing this time, and it is counted. Drainer
 * only.
 */
final class GuardedFairness implements FairnessPolicy {

    private final FairnessPolicy policy;
    private final FlowEvents events;

    GuardedFairness(FairnessPolicy policy, FlowEvents events) {
        this.policy = policy;
        this.events = events;
    }

    @Override
    public String type() {
        return policy.type();
    }

    @Override
    public void activated(FlowHandle flow) {
        try {
            policy.activated(flow);
        } catch (Throwable broken) {
            failed(broken);
        }
    }

    @Override
    public void deactivated(FlowHandle flow) {
        try {
            policy.deactivated(flow);
        } catch (Throwable broken) {
            failed(broken);
        }
    }

    @Override
    public void forgotten(FlowHandle flow) {
        try {
            policy.forgotten(flow);
        } catch (Throwable broken) {
            failed(broken);
        }
    }

    @Override
    public void headChanged(FlowHandle flow) {
        try {
            policy.headChanged(flow);
        } catch (Throwable broken) {
            failed(broken);
        }
    }

    @Override
    public @Nullable FlowHandle pick() {
        try {
            return policy.pick();
        } catch (Throwable broken) {
            failed(broken);
            return null;
        }
    }

    @Override
    public void served(FlowHandle flow, long bytes) {
        try {
            policy.served(flow, bytes);
        } catch (Throwable broken) {
            failed(broken);
        }
    }

    @Override
    public void setAside(FlowHandle flow) {
        try {
            policy.setAside(flow);
        } catch (Throwable broken) {
            failed(broken);
        }
    }

    @Override
    public void restore() {
        try {
            policy.restore();
        } catch (Throwable broken) {
            failed(broken);
        }
    }

    private void failed(Throwable broken) {
        events.failed(policy.type(), broken);
    }
}
