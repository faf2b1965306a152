package io.penstock.flow.testkit;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowKey;
import java.time.Duration;
import java.util.Set;

/**
 * A request as flow control sees it. Immutable.
 *
 * @param flowKey the flow it asks for
 * @param byteSize its body's bytes
 * @param ttlNanos its own budget, 0 for none
 * @param excluded names of endpoints that have failed it
 * @param receivedNanos when its head was there
 * @param ttftSloNanos its objective for the first token, negative for none
 * @param promptTokens estimated
 */
public record TestRequest(FlowKey flowKey, long byteSize, long ttlNanos, Set<String> excluded, long receivedNanos, long ttftSloNanos,
        long promptTokens) implements AdmissionRequest {

    /** A small request of the default flow. */
    public static TestRequest in(int priority) {
        return of(FlowKey.DEFAULT_FAIRNESS_ID, priority);
    }

    public static TestRequest of(String fairnessId, int priority) {
        return new TestRequest(new FlowKey(fairnessId, priority), 1, 0, Set.of(), 0, -1, 0);
    }

    public TestRequest bytes(long bytes) {
        return new TestRequest(flowKey, bytes, ttlNanos, excluded, receivedNanos, ttftSloNanos, promptTokens);
    }

    public TestRequest ttl(Duration ttl) {
        return new TestRequest(flowKey, byteSize, ttl.toNanos(), excluded, receivedNanos, ttftSloNanos, promptTokens);
    }

    public TestRequest excluding(String... endpoints) {
        return new TestRequest(flowKey, byteSize, ttlNanos, Set.of(endpoints), receivedNanos, ttftSloNanos, promptTokens);
    }

    /** With an objective for the first token. */
    public TestRequest slo(long received, Duration firstToken) {
        return new TestRequest(flowKey, byteSize, ttlNanos, excluded, received, firstToken.toNanos(), promptTokens);
    }

    public TestRequest tokens(long prompt) {
        return new TestRequest(flowKey, byteSize, ttlNanos, excluded, receivedNanos, ttftSloNanos, prompt);
    }

    @Override
    public boolean excludes(EndpointView endpoint) {
        return excluded.contains(endpoint.name());
    }
}
