package io.penstock.proxy.endpoint;

import io.penstock.flow.EngineSample;
import io.penstock.flow.PoolView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The model servers that requests may go to. Discovery replaces the whole list; readers take one immutable view, without a lock, from any
 * thread. Changes and listeners are called one at a time, under the pool's own lock, on the thread of whoever changes it.
 *
 * <p>An endpoint is known by {@code namespace/name}. While its address stays, so does its object, with counts, sample and health. A new
 * address is a new object that counts from zero, since another server listens there; it starts with the old one's sample, which goes stale
 * by itself (spec/routing section 2.2). One that was removed with requests still running and comes back at the same address is the same
 * object again, so that it starts from its true count; sample and health start anew.
 */
public final class EndpointPool implements Supplier<PoolView> {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointPool.class);

    private final LongSupplier clock;
    private final List<Consumer<PoolChange>> listeners = new ArrayList<>();
    /** Removed while requests ran on them, by identity and address. */
    private final Map<String, Endpoint> retired = new LinkedHashMap<>();
    private volatile Map<String, Endpoint> members = Map.of();
    private volatile PoolView view = PoolView.EMPTY;
    private volatile boolean synced;

    /** @param clock monotonic nanoseconds, for health */
    public EndpointPool(LongSupplier clock) {
        this.clock = clock;
    }

    /** The membership now. A new object at each change of it, and only then. */
    @Override
    public PoolView get() {
        return view;
    }

    /** Whether a first list has been applied, be it an empty one. */
    public boolean synced() {
        return synced;
    }

    /** All members, in discovery's order. */
    public Collection<Endpoint> members() {
        return members.values();
    }

    /** The member of that {@code namespace/name}, or null. */
    public @Nullable Endpoint find(String id) {
        return members.get(id);
    }

    /** Endpoints that have left the pool while requests still run on them. */
    public synchronized List<Endpoint> retiring() {
        sweep();
        return List.copyOf(retired.values());
    }

    /**
     * Hears of every change, the present members first, as added. Called under the pool's lock: quick, not blocking, and not changing the
     * pool.
     */
    public synchronized void listen(Consumer<PoolChange> listener) {
        listeners.add(listener);
        if (!members.isEmpty()) {
            tell(listener, new PoolChange(List.copyOf(members.values()), List.of(), List.of(), view));
        }
    }

    /** Makes these the members. @throws IllegalArgumentException if an identity is there twice; then nothing changes */
    public synchronized void replace(List<EndpointSpec> specs) {
        Map<String, EndpointSpec> wanted = byId(specs);
        sweep();
        List<Endpoint> added = new ArrayList<>();
        List<Endpoint> relabelled = new ArrayList<>();
        Map<String, Endpoint> next = new LinkedHashMap<>();
        boolean moved = !List.copyOf(wanted.keySet()).equals(List.copyOf(members.keySet()));
        for (EndpointSpec spec : wanted.values()) {
            Endpoint present = members.get(spec.id());
            if (present == null || !sameAddress(present.spec(), spec)) {
                Endpoint fresh = arrive(spec, present == null ? null : present.sample());
                added.add(fresh);
                next.put(spec.id(), fresh);
                continue;
            }
            if (!present.spec().equals(spec)) {
                present.respec(spec);
                relabelled.add(present);
            }
            next.put(spec.id(), present);
        }
        List<Endpoint> removed = leave(next);
        synced = true;
        if (moved || !added.isEmpty() || !removed.isEmpty() || !relabelled.isEmpty()) {
            members = Collections.unmodifiableMap(next);
            view = viewOf(next);
            PoolChange change = new PoolChange(added, removed, relabelled, view);
            listeners.forEach(listener -> tell(listener, change));
        }
    }

    private Endpoint arrive(EndpointSpec spec, @Nullable EngineSample lastKnown) {
        Endpoint back = retired.remove(retiredKey(spec));
        if (back == null) {
            return new Endpoint(spec, clock, lastKnown);
        }
        back.respec(spec);
        back.uncordon();
        return back;
    }

    private List<Endpoint> leave(Map<String, Endpoint> next) {
        List<Endpoint> removed = new ArrayList<>();
        for (Endpoint endpoint : members.values()) {
            if (next.get(endpoint.name()) != endpoint) {
                endpoint.cordon();
                removed.add(endpoint);
                retired.put(retiredKey(endpoint.spec()), endpoint);
            }
        }
        return removed;
    }

    /** Drops what nothing runs on any more: placement charges nothing that is cordoned, so a count of zero stays zero. */
    private void sweep() {
        retired.values().removeIf(endpoint -> endpoint.inFlightRequests() == 0);
    }

    private static Map<String, EndpointSpec> byId(List<EndpointSpec> specs) {
        Map<String, EndpointSpec> wanted = new LinkedHashMap<>();
        for (EndpointSpec spec : specs) {
            if (wanted.put(spec.id(), spec) != null) {
                throw new IllegalArgumentException("endpoints: " + spec.id() + " twice (expected: one entry a name)");
            }
        }
        return wanted;
    }

    private static PoolView viewOf(Map<String, Endpoint> members) {
        Map<String, String> roles = new HashMap<>();
        for (Endpoint endpoint : members.values()) {
            String role = endpoint.spec().role();
            if (role != null) {
                roles.put(endpoint.name(), role);
            }
        }
        return new PoolView(List.copyOf(members.values()), roles);
    }

    private static boolean sameAddress(EndpointSpec a, EndpointSpec b) {
        return a.port() == b.port() && a.host().equals(b.host());
    }

    private static String retiredKey(EndpointSpec spec) {
        return spec.id() + ' ' + spec.authority();
    }

    private static void tell(Consumer<PoolChange> listener, PoolChange change) {
        try {
            listener.accept(change);
        } catch (RuntimeException e) {
            LOG.error("A listener of the pool failed; the others go on", e);
        }
    }
}
