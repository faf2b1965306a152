package io.penstock.flow.testkit;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.Lease;
import io.penstock.flow.Placement;
import io.penstock.flow.PoolView;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the first endpoint that has room and that the request does not exclude, and keeps books: how much is charged, the most that
 * ever was on one endpoint. Placed by one thread at a time; leases closed from any.
 */
public final class FakePlacement implements Placement {

    private final Supplier<PoolView> pool;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger placed = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile int perEndpoint = Integer.MAX_VALUE;
    private volatile Runnable onClose = () -> {
    };
    private volatile Runnable beforeReturn = () -> {
    };

    public FakePlacement(Supplier<PoolView> pool) {
        this.pool = pool;
    }

    /** No endpoint takes more than this. */
    public void limit(int requestsPerEndpoint) {
        perEndpoint = requestsPerEndpoint;
    }

    /** Runs after each closed lease; the controller's {@code signal}, usually. */
    public void onClose(Runnable action) {
        onClose = action;
    }

    /** Runs when an endpoint was charged and is about to be handed out. */
    public void beforeReturn(Runnable action) {
        beforeReturn = action;
    }

    /** Leases not closed. */
    public int open() {
        return open.get();
    }

    /** The highest charge that one endpoint ever had, read at each placement. */
    public int most() {
        return most.get();
    }

    /** Leases ever given. */
    public int placed() {
        return placed.get();
    }

    /** How often an endpoint was asked for. */
    public int asked() {
        return asked.get();
    }

    @Override
    public @Nullable Lease place(AdmissionRequest request) {
        asked.incrementAndGet();
        for (EndpointView endpoint : pool.get().endpoints()) {
            if (endpoint.inFlightRequests() < perEndpoint && !request.excludes(endpoint)) {
                most.accumulateAndGet(((FakeEndpoint) endpoint).charge(), Math::max);
                placed.incrementAndGet();
                open.incrementAndGet();
                beforeReturn.run();
                return new FakeLease((FakeEndpoint) endpoint);
            }
        }
        return null;
    }

    private final class FakeLease implements Lease {

        private final FakeEndpoint endpoint;
        private final AtomicBoolean closed = new AtomicBoolean();

        FakeLease(FakeEndpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public EndpointView endpoint() {
            return endpoint;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                open.decrementAndGet();
                endpoint.giveBack();
                onClose.run();
            }
        }
    }
}
