package io.penstock.flow.testkit;

import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.PoolView;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** An endpoint whose load a test sets and whose charges it can read. Any thread. */
public final class FakeEndpoint implements EndpointView {

    private final String name;
    private final String role;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong tokens = new AtomicLong();
    private final AtomicInteger samplesAsked = new AtomicInteger();
    private volatile int dispatchedSinceSample;
    private volatile int endedSinceSample;
    private volatile @Nullable EngineSample sample;

    /** An endpoint without a role label: it serves decode. */
    public FakeEndpoint(String name) {
        this(name, "");
    }

    public FakeEndpoint(String name, String role) {
        this.name = name;
        this.role = role;
    }

    /** One with so much in flight. */
    public static FakeEndpoint loaded(int requests, long tokens) {
        FakeEndpoint endpoint = new FakeEndpoint("default/fake");
        endpoint.requests(requests);
        endpoint.tokens(tokens);
        return endpoint;
    }

    /** One whose metrics said that. */
    public static FakeEndpoint sampled(long atNanos, int waiting, double kvCacheUsage) {
        FakeEndpoint endpoint = new FakeEndpoint("default/fake");
        endpoint.sample(new EngineSample(atNanos, waiting, 0, kvCacheUsage));
        return endpoint;
    }

    /** The same endpoint, with so many dispatched since its sample. */
    public FakeEndpoint dispatched(int count) {
        dispatchedSinceSample(count);
        return this;
    }

    /** The same endpoint, with so many ended since its sample. */
    public FakeEndpoint ended(int count) {
        endedSinceSample = count;
        return this;
    }

    /** A pool of these endpoints with their roles. */
    public static PoolView pool(FakeEndpoint... endpoints) {
        Map<String, String> roles = new LinkedHashMap<>();
        Arrays.stream(endpoints).forEach(endpoint -> roles.put(endpoint.name, endpoint.role));
        return new PoolView(List.of(endpoints), roles);
    }

    public void requests(int value) {
        requests.set(value);
    }

    public void tokens(long value) {
        tokens.set(value);
    }

    public void dispatchedSinceSample(int value) {
        dispatchedSinceSample = value;
    }

    public void sample(@Nullable EngineSample value) {
        sample = value;
    }

    /** How often a scrape was asked for. */
    public int samplesAsked() {
        return samplesAsked.get();
    }

    int charge() {
        return requests.incrementAndGet();
    }

    void giveBack() {
        requests.decrementAndGet();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int inFlightRequests() {
        return requests.get();
    }

    @Override
    public long inFlightTokens() {
        return tokens.get();
    }

    @Override
    public int dispatchedSinceSample() {
        return dispatchedSinceSample;
    }

    @Override
    public int endedSinceSample() {
        return endedSinceSample;
    }

    @Override
    public @Nullable EngineSample sample() {
        return sample;
    }

    @Override
    public void requestSample() {
        samplesAsked.incrementAndGet();
    }

    @Override
    public String toString() {
        return name;
    }
}
