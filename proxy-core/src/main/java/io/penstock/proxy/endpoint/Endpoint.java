package io.penstock.proxy.endpoint;

import io.netty.util.AsciiString;
import io.netty.util.NetUtil;
import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One model server of the pool: its identity, its exact in-flight count, its newest sample and its health. There is one object per identity
 * and address for as long as it is in the pool or has open leases, so every count is the count. Any thread.
 */
public final class Endpoint implements EndpointView {

    private final InetSocketAddress address;
    private final AsciiString authority;
    private final InFlight inFlight;
    private final Health health;
    private volatile EndpointSpec spec;
    private volatile boolean cordoned;
    private volatile SampleSource samples = SampleSource.NONE;
    private volatile @Nullable EngineInfo engine;

    /** A server outside a pool: for its health, time stands still. */
    public Endpoint(EndpointSpec spec) {
        this(spec, () -> 0, null);
    }

    /**
     * @param clock monotonic nanoseconds
     * @param first a sample to start with, or null when nothing is known
     */
    Endpoint(EndpointSpec spec, LongSupplier clock, @Nullable EngineSample first) {
        this.spec = spec;
        this.address = addressOf(spec);
        this.authority = new AsciiString(spec.authority());
        this.inFlight = new InFlight(first);
        this.health = new Health(clock);
    }

    private static InetSocketAddress addressOf(EndpointSpec spec) {
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(spec.host());
        if (literal == null) {
            // Resolving may block, and the answer may change: whoever connects does it.
            return InetSocketAddress.createUnresolved(spec.host(), spec.port());
        }
        try {
            return new InetSocketAddress(InetAddress.getByAddress(literal), spec.port());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("host: " + spec.host() + " (expected: an address or a name)", e);
        }
    }

    /** What discovery says of it; labels may change while the address stays. */
    public EndpointSpec spec() {
        return spec;
    }

    /** Where to connect; unresolved when discovery named a host. */
    public InetSocketAddress address() {
        return address;
    }

    /** {@code host:port}, an IPv6 host in brackets. */
    public AsciiString authority() {
        return authority;
    }

    @Override
    public String name() {
        return spec.id();
    }

    @Override
    public int inFlightRequests() {
        return inFlight.requests();
    }

    @Override
    public long inFlightTokens() {
        return inFlight.tokens();
    }

    /**
     * {@inheritDoc} "Since the sample was taken" means since its scrape was started, so nothing falls between two samples. A reader that
     * wants both reads this first and {@link #sample()} after it: a new sample in between is then counted twice rather than not at all.
     */
    @Override
    public int dispatchedSinceSample() {
        return inFlight.sinceSample();
    }

    @Override
    public int endedSinceSample() {
        return inFlight.endedSinceSample();
    }

    @Override
    public @Nullable EngineSample sample() {
        return inFlight.sample();
    }

    /** What its newest metrics page said besides its load; null before the first. */
    public @Nullable EngineInfo engine() {
        return engine;
    }

    void describe(EngineInfo info) {
        engine = info;
    }

    @Override
    public void requestSample() {
        samples.request();
    }

    /**
     * Counts one request in.
     *
     * @param tokens its estimated tokens, 0 where nothing counts them
     * @param signal run after the lease has been closed
     */
    public EndpointLease charge(long tokens, Runnable signal) {
        return EndpointLease.charge(this, null, tokens, false, signal);
    }

    /** A byte of a response came in, whatever its status: the server lives. Cheap while it is well. */
    public void succeeded() {
        health.succeeded();
    }

    /** No connection could be made, or one was closed or reset before a byte of the response. */
    public void failed() {
        health.failed();
    }

    /** @param nowNanos on the pool's clock */
    public HealthState health(long nowNanos) {
        return health.state(nowNanos);
    }

    /** Failures in a row since the last byte of a response. */
    public int consecutiveFailures() {
        return health.failures();
    }

    boolean available(long nowNanos) {
        return health.available(nowNanos);
    }

    void chosen(long nowNanos) {
        health.chosen(nowNanos);
    }

    /** Whether it has left the pool; requests that run on it go on to their end. */
    public boolean cordoned() {
        return cordoned;
    }

    void cordon() {
        cordoned = true;
    }

    /** Takes it back into the pool. It counts what still runs; what else was known of it is forgotten, since it may be another process. */
    void uncordon() {
        inFlight.forget();
        engine = null;
        health.succeeded();
        cordoned = false;
    }

    void respec(EndpointSpec newer) {
        spec = newer;
    }

    InFlight counts() {
        return inFlight;
    }

    void sampledBy(SampleSource source) {
        samples = source;
    }

    @Override
    public String toString() {
        return spec.id() + '@' + spec.authority();
    }
}
