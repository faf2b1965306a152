package io.penstock.detect;

import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import org.jspecify.annotations.Nullable;

/** An endpoint whose live values a test sets; it counts how often a sample was asked for. */
final class FakeEndpoint implements EndpointView {

    int requests;
    long tokens;
    int dispatched;
    @Nullable EngineSample sample;
    int asked;

    static FakeEndpoint of(int requests, long tokens) {
        FakeEndpoint endpoint = new FakeEndpoint();
        endpoint.requests = requests;
        endpoint.tokens = tokens;
        return endpoint;
    }

    static FakeEndpoint sampled(long atNanos, int waiting, double kvCacheUsage) {
        FakeEndpoint endpoint = new FakeEndpoint();
        endpoint.sample = new EngineSample(atNanos, waiting, 0, kvCacheUsage);
        return endpoint;
    }

    FakeEndpoint dispatched(int count) {
        dispatched = count;
        return this;
    }

    @Override
    public String name() {
        return "default/fake";
    }

    @Override
    public int inFlightRequests() {
        return requests;
    }

    @Override
    public long inFlightTokens() {
        return tokens;
    }

    @Override
    public int dispatchedSinceSample() {
        return dispatched;
    }

    @Override
    public @Nullable EngineSample sample() {
        return sample;
    }

    @Override
    public void requestSample() {
        asked++;
    }
}
