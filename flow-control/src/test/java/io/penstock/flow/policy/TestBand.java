package io.penstock.flow.policy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Drives a fairness policy as the engine does: a band with flows, requests that come and are dispatched one by one. */
final class TestBand {

    final FairnessPolicy policy;
    private final Map<String, TestFlow> flows = new TreeMap<>();
    private long arrivals;

    TestBand(FairnessPolicy policy) {
        this.policy = policy;
    }

    TestFlow arrive(String id) {
        return arrive(id, 1, 1);
    }

    TestFlow arrive(String id, long bytes, long tokens) {
        TestFlow flow = flows.computeIfAbsent(id, TestFlow::new);
        flow.add(arrivals++, bytes, tokens);
        if (flow.length() == 1) {
            policy.activated(flow);
        }
        return flow;
    }

    void arrive(String id, int requests) {
        for (int i = 0; i < requests; i++) {
            arrive(id);
        }
    }

    /** Dispatches the next request; null when the policy has none. */
    @Nullable TestFlow dispatch() {
        FlowHandle picked = policy.pick();
        if (picked == null) {
            return null;
        }
        TestFlow flow = (TestFlow) picked;
        policy.served(flow, flow.head().bytes());
        leave(flow);
        return flow;
    }

    /** Dispatches so many, and says whose they were. */
    List<String> dispatch(int requests) {
        List<String> served = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            TestFlow flow = dispatch();
            served.add(flow == null ? "-" : flow.toString());
        }
        return served;
    }

    /** The flow's head goes, dispatched or given up. */
    void leave(TestFlow flow) {
        flow.removeHead();
        if (flow.length() == 0) {
            policy.deactivated(flow);
        } else {
            policy.headChanged(flow);
        }
    }

    /** The band forgets an idle flow. */
    void forget(String id) {
        policy.forgotten(flows.remove(id));
    }
}
