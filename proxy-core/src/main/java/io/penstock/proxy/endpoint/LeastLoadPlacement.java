package io.penstock.proxy.endpoint;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.Placement;
import io.penstock.flow.PoolView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Charges the endpoint with the least of its stage detector's own ratio, ties in turn (contract section 7). {@link #place} is the
 * drainer's; {@link #pickUncounted} may be called from any thread.
 *
 * <p>Which endpoints may take a request: those that serve the decode stage; where no endpoint serves any stage, all. Of these the first
 * group that has a member is taken: well and not yet tried by the request; well; not yet tried; any. So neither ejection nor what a request
 * has already tried can leave it without an endpoint while there is one. A full endpoint still counts as a member: a request waits for it
 * rather than going to a server that is known to fail.
 */
public final class LeastLoadPlacement implements Placement {

    private static final int WELL = 2;
    private static final int UNTRIED = 1;
    private static final int GROUPS = 4;

    private final Supplier<PoolView> pool;
    private final SaturationDetector detector;
    private final LongSupplier clock;
    private final Runnable signal;
    private final boolean enforceLimits;
    private final int maxConnections;
    private final AtomicInteger uncountedTurn = new AtomicInteger();
    /** Where the next scan starts. A lost update, where several threads place with flow control off, only repeats a tie's winner. */
    private int turn;

    /**
     * @param pool the membership; its views hold {@link Endpoint}s
     * @param detector the decode stage's
     * @param clock monotonic nanoseconds, the pool's
     * @param signal run after each close of a lease
     * @param enforceLimits whether limits per endpoint hold, a detector's own and that of connections; false where flow control is off
     * @param maxConnections connections that an endpoint may have, 1 or more: a request needs one of its own
     */
    public LeastLoadPlacement(Supplier<PoolView> pool, SaturationDetector detector, LongSupplier clock, Runnable signal,
            boolean enforceLimits, int maxConnections) {
        this.pool = pool;
        this.detector = detector;
        this.clock = clock;
        this.signal = signal;
        this.enforceLimits = enforceLimits;
        this.maxConnections = maxConnections;
    }

    @Override
    public @Nullable EndpointLease place(AdmissionRequest request) {
        long now = clock.getAsLong();
        while (true) {
            List<EndpointView> candidates = candidates(pool.get());
            Endpoint chosen = least(candidates, group(candidates, request, now), request, now);
            if (chosen == null) {
                return null;
            }
            EndpointLease lease = chosen.charge(0, signal);
            if (!chosen.cordoned()) {
                chosen.chosen(now);
                return lease;
            }
            // It left the pool between the scan and the charge.
            lease.undo();
        }
    }

    private @Nullable Endpoint least(List<EndpointView> candidates, int group, AdmissionRequest request, long now) {
        int size = candidates.size();
        int start = turn < size ? turn : 0;
        Endpoint best = null;
        double bestLoad = Double.POSITIVE_INFINITY;
        int bestIndex = 0;
        for (int i = 0, at = start; i < size; i++, at = at + 1 < size ? at + 1 : 0) {
            Endpoint endpoint = (Endpoint) candidates.get(at);
            if (groupOf(endpoint, request, now) < group || endpoint.cordoned() || enforceLimits && !fits(endpoint)) {
                continue;
            }
            double load = detector.load(endpoint, now);
            if (best == null || load < bestLoad) {
                best = endpoint;
                bestLoad = load;
                bestIndex = at;
            }
        }
        if (best != null) {
            turn = bestIndex + 1;
        }
        return best;
    }

    private boolean fits(Endpoint endpoint) {
        return detector.fits(endpoint) && endpoint.inFlightRequests() < maxConnections;
    }

    /** An endpoint for a request that no detector counts, in turn; null when there is none. */
    public @Nullable Endpoint pickUncounted() {
        return pickUncounted(null);
    }

    /** The same, but not one that the request has already tried while there is another. */
    public @Nullable Endpoint pickUncounted(@Nullable AdmissionRequest request) {
        long now = clock.getAsLong();
        List<EndpointView> candidates = candidates(pool.get());
        int size = candidates.size();
        if (size == 0) {
            return null;
        }
        int group = group(candidates, request, now);
        int start = Math.floorMod(uncountedTurn.getAndIncrement(), size);
        Endpoint fallback = null;
        for (int i = 0, at = start; i < size; i++, at = at + 1 < size ? at + 1 : 0) {
            Endpoint endpoint = (Endpoint) candidates.get(at);
            if (groupOf(endpoint, request, now) >= group && !endpoint.cordoned()) {
                endpoint.chosen(now);
                return endpoint;
            }
            fallback = endpoint;
        }
        return fallback;
    }

    private static List<EndpointView> candidates(PoolView view) {
        List<EndpointView> decode = view.stage(Stage.DECODE);
        return decode.isEmpty() && view.stage(Stage.PREFILL).isEmpty() ? view.endpoints() : decode;
    }

    /** The best group that any candidate is in. */
    private static int group(List<EndpointView> candidates, @Nullable AdmissionRequest request, long now) {
        int best = 0;
        for (int i = 0; i < candidates.size() && best < GROUPS - 1; i++) {
            Endpoint endpoint = (Endpoint) candidates.get(i);
            if (!endpoint.cordoned()) {
                best = Math.max(best, groupOf(endpoint, request, now));
            }
        }
        return best;
    }

    private static int groupOf(Endpoint endpoint, @Nullable AdmissionRequest request, long now) {
        int well = endpoint.available(now) ? WELL : 0;
        return request != null && request.excludes(endpoint) ? well : well + UNTRIED;
    }
}
