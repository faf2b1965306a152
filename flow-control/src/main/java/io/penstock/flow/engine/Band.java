package io.penstock.flow.engine;

import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.Outcome;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.engine.Occupancy.Reservation;
import java.util.concurrent.atomic.LongAdder;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * One priority band as producers meet it: its limits, its count of what waits, and the way in. What lies behind the way in is
 * {@link BandQueues}, the drainer's. Any thread but where said.
 */
final class Band {

    private static final int INGRESS_CHUNK = 1024;

    final int priority;
    final BandQueues queues;

    private final Occupancy occupancy = new Occupancy();
    /** Arrivals, and tickets that were settled while they were linked; {@link QueuedTicket#spot} tells them apart. */
    private final MpscUnboundedAtomicArrayQueue<QueuedTicket> ingress = new MpscUnboundedAtomicArrayQueue<>(INGRESS_CHUNK);
    private final LongAdder dispatched = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    /** The drainer's. */
    final DispatchRate rate;
    /** The drainer's, as configured, and the budget that follows from it. */
    private BandConfig config;
    private long ttlNanos;
    private volatile CountLimits limits;

    /**
     * @param defaultTtlNanos the global budget, for a band that has none of its own
     */
    Band(BandConfig config, long defaultTtlNanos, BandQueues queues, long now) {
        this.priority = config.priority();
        this.config = config;
        this.ttlNanos = ttl(config, defaultTtlNanos);
        this.limits = new CountLimits(config.maxRequests(), config.maxBytes());
        this.queues = queues;
        this.rate = new DispatchRate(now);
    }

    /** What it was configured to be last; drainer only. */
    BandConfig config() {
        return config;
    }

    /**
     * Takes new limits and a new budget over; drainer only. What waits keeps its place, also when it is more than the new limit; then
     * nothing comes in until it is less.
     *
     * @return whether the budget has changed
     */
    boolean configure(BandConfig other, long defaultTtlNanos) {
        setLimits(other.maxRequests(), other.maxBytes());
        long before = ttlNanos;
        config = other;
        ttlNanos = ttl(other, defaultTtlNanos);
        return before != ttlNanos;
    }

    private static long ttl(BandConfig config, long defaultTtlNanos) {
        return config.requestTtlNanos() == BandConfig.INHERIT ? defaultTtlNanos : config.requestTtlNanos();
    }

    Reservation reserve(long bytes) {
        CountLimits now = limits;
        return occupancy.reserve(bytes, now.requestsEnd, now.bytesEnd);
    }

    void release(long bytes) {
        occupancy.release(bytes);
    }

    /** Changes both limits at once; readers see the old pair or the new one. */
    void setLimits(long maxRequests, long maxBytes) {
        if (limits.maxRequests != maxRequests || limits.maxBytes != maxBytes) {
            limits = new CountLimits(maxRequests, maxBytes);
        }
    }

    /** The budget of a request: its own only ever shortens the band's. Drainer only. */
    long budget(long requestTtlNanos) {
        if (requestTtlNanos <= 0) {
            return ttlNanos;
        }
        return ttlNanos == 0 ? requestTtlNanos : Math.min(ttlNanos, requestTtlNanos);
    }

    /** Puts in an arrival, or word of a departure. */
    void offer(QueuedTicket ticket) {
        ingress.offer(ticket);
    }

    /** Drainer only. */
    @Nullable QueuedTicket poll() {
        return ingress.relaxedPoll();
    }

    /** Closes a band that holds nothing, so that it can be removed; drainer only. A request may have come in at the last moment: false. */
    boolean close() {
        return queues.waiting() == 0 && occupancy.close();
    }

    CapacitySnapshot snapshot() {
        return limits.snapshot(Occupancy.requests(occupancy.read()));
    }

    void count(Outcome outcome) {
        switch (outcome) {
            case DISPATCHED -> dispatched.increment();
            case EVICTED_CONTEXT_CANCELLED -> {
                // Its client gave it up: neither dispatched nor rejected.
            }
            default -> rejected.increment();
        }
    }

    BandView view(long now) {
        CountLimits configured = limits;
        long word = occupancy.read();
        BandQueues.Peek peek = queues.peek(now);
        return new BandView(priority, configured.maxRequests, Occupancy.requests(word), configured.maxBytes, Occupancy.bytes(word),
                dispatched.sum(), rejected.sum(), peek.oldestWaitNanos(), peek.flowCount(), peek.flows());
    }

    void publish(Ledger ledger) {
        CountLimits configured = limits;
        long word = occupancy.read();
        ledger.events.bandFill(priority, Occupancy.requests(word), configured.maxRequests, Occupancy.bytes(word), configured.maxBytes);
    }
}
