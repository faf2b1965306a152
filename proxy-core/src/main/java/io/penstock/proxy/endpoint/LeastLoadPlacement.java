package io.penstock.proxy.endpoint;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.Placement;
import io.penstock.flow.PoolView;
import io.penstock.flow.Stage;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Charges the endpoint with the least of its stage detector's own ratio, ties in turn (contract section 7). {@link #place} is the
 * drainer's; {@link #pickUncounted} may be called from any thread.
 *
 * <p>A request goes to an endpoint that serves the decode stage; where no endpoint serves any stage, to any. Where the pool has endpoints
 * for prefill alone, it is also given one of the prefill stage, by that stage's detector and limits, and both are charged or neither is. An
 * interleaved endpoint that is the least loaded of both stages does both and is charged once.
 */
public final class LeastLoadPlacement implements Placement {

    private final Supplier<PoolView> pool;
    private final TokenCharge tokens;
    private final LongSupplier clock;
    private final Runnable signal;
    private final LeastLoad decode;
    private final LeastLoad prefill;
    private final AtomicInteger uncountedTurn = new AtomicInteger();
    private Split split = new Split(PoolView.EMPTY, false);

    /** Whether a membership has endpoints for prefill alone: asked once for each, not for each request. */
    private record Split(PoolView of, boolean twoLegs) {
    }

    /**
     * @param pool the membership; its views hold {@link Endpoint}s
     * @param detectors each stage's
     * @param tokens what a request costs
     * @param clock monotonic nanoseconds, the pool's
     * @param signal run after each time that a lease gives something back
     * @param limited stages whose detectors' own limits per endpoint hold: those that gate dispatch, none where flow control is off
     * @param maxInFlight requests that an endpoint may have, 1 or more, whatever a detector says: each needs a connection of its own,
     *         though not for its prefill, to which the decode server connects
     */
    public LeastLoadPlacement(Supplier<PoolView> pool, StageDetectors detectors, TokenCharge tokens, LongSupplier clock, Runnable signal,
            Set<Stage> limited, int maxInFlight) {
        this.pool = pool;
        this.tokens = tokens;
        this.clock = clock;
        this.signal = signal;
        this.decode = new LeastLoad(Stage.DECODE, detectors.decode(), limited.contains(Stage.DECODE), maxInFlight);
        this.prefill = new LeastLoad(Stage.PREFILL, detectors.prefill(), limited.contains(Stage.PREFILL), Integer.MAX_VALUE);
    }

    @Override
    public @Nullable EndpointLease place(AdmissionRequest request) {
        long now = clock.getAsLong();
        while (true) {
            PoolView view = pool.get();
            Endpoint decoding = decode.of(candidates(view), view.split(), request, now);
            if (decoding == null) {
                return null;
            }
            Endpoint prefilling = null;
            if (twoLegs(view)) {
                prefilling = prefill.of(view.stage(Stage.PREFILL), view.split(), request, now);
                if (prefilling == null) {
                    return null;
                }
            }
            EndpointLease lease = EndpointLease.charge(decoding, prefilling == decoding ? null : prefilling, tokens.of(request),
                    !tokens.withOutput(), signal);
            if (!decoding.cordoned() && (prefilling == null || !prefilling.cordoned())) {
                decoding.chosen(now);
                return lease;
            }
            // One left the pool between the scan and the charge.
            lease.undo();
        }
    }

    private boolean twoLegs(PoolView view) {
        Split known = split;
        if (known.of != view) {
            List<EndpointView> decoding = view.stage(Stage.DECODE);
            known = new Split(view, view.stage(Stage.PREFILL).stream().anyMatch(endpoint -> !decoding.contains(endpoint)));
            split = known;
        }
        return known.twoLegs;
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
        int group = LeastLoad.group(candidates, request, now);
        int start = Math.floorMod(uncountedTurn.getAndIncrement(), size);
        Endpoint fallback = null;
        for (int i = 0, at = start; i < size; i++, at = at + 1 < size ? at + 1 : 0) {
            Endpoint endpoint = (Endpoint) candidates.get(at);
            if (LeastLoad.groupOf(endpoint, request, now) >= group && !endpoint.cordoned()) {
                endpoint.chosen(now);
                return endpoint;
            }
            fallback = endpoint;
        }
        return fallback;
    }

    private static List<EndpointView> candidates(PoolView view) {
        List<EndpointView> decoding = view.stage(Stage.DECODE);
        return decoding.isEmpty() && view.stage(Stage.PREFILL).isEmpty() ? view.endpoints() : decoding;
    }
}
