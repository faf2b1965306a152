package io.penstock.flow.model;

import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.config.BandConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One band of the model: lists, and loops over them. One thread. */
final class ModelBand {

    /** Deadlines that never come, in nanoseconds of the model's clock. */
    private static final long NEVER = 1L << 61;

    final int priority;
    final List<Waiting> queued = new ArrayList<>();
    /** Taken back after a dispatch: before all others, outside the limits. */
    final List<Waiting> returned = new ArrayList<>();
    BandConfig config;
    long globalTtl;
    ModelFairness fairness;
    /** Flows without waiting requests that are remembered, and since when, the longest first. */
    final Map<String, Long> idle = new LinkedHashMap<>();
    long dispatched;
    long rejected;
    private long arrivals;

    ModelBand(BandConfig config, long globalTtl) {
        this.priority = config.priority();
        this.config = config;
        this.globalTtl = globalTtl;
        this.fairness = ModelFairness.of(config.fairnessPolicyRef());
    }

    boolean isEmpty() {
        return queued.isEmpty() && returned.isEmpty();
    }

    boolean hasRoom(long bytes) {
        return fits(config.maxRequests(), queued.size() + 1) && fits(config.maxBytes(), bytes() + bytes);
    }

    static boolean fits(long limit, long count) {
        return limit == CapacitySnapshot.UNBOUNDED || count <= limit;
    }

    long bytes() {
        return queued.stream().mapToLong(Waiting::bytes).sum();
    }

    long budget(long requestTtl) {
        long own = config.requestTtlNanos() == BandConfig.INHERIT ? globalTtl : config.requestTtlNanos();
        if (requestTtl <= 0) {
            return own;
        }
        return own == 0 ? requestTtl : Math.min(own, requestTtl);
    }

    void add(Waiting one) {
        one.arrival = arrivals++;
        one.rank = one.returned ? one.submitted : rank(one);
        if (one.returned) {
            returned.add(one);
            return;
        }
        boolean first = !isBusy(one.flow());
        queued.add(one);
        idle.remove(one.flow());
        if (first) {
            fairness.activated(one.flow());
        }
    }

    /** Takes it out if it is in; true when its flow has nothing waiting any more. */
    boolean remove(Waiting one, long now) {
        returned.remove(one);
        if (!queued.remove(one) || isBusy(one.flow())) {
            return false;
        }
        fairness.deactivated(one.flow());
        idle.put(one.flow(), now);
        return true;
    }

    private boolean isBusy(String flow) {
        return queued.stream().anyMatch(one -> one.flow().equals(flow));
    }

    /** Takes other limits and policies over; what waits stays, in the new order. */
    void configure(BandConfig other, long ttl) {
        boolean sameFairness = other.fairnessPolicyRef().equals(config.fairnessPolicyRef());
        config = other;
        globalTtl = ttl;
        queued.forEach(one -> one.rank = rank(one));
        if (!sameFairness) {
            fairness = ModelFairness.of(other.fairnessPolicyRef());
            heads().values().stream().sorted(Comparator.comparingLong(one -> one.arrival)).forEach(one -> fairness.activated(one.flow()));
        }
    }

    /** What is next, whether or not an endpoint takes it. */
    @Nullable Waiting next() {
        Waiting first = firstReturned(Set.of());
        if (first != null) {
            return first;
        }
        Map<String, Waiting> heads = heads();
        String flow = fairness.pick(heads, Set.of());
        return flow == null ? null : heads.get(flow);
    }

    long rank(Waiting one) {
        return switch (config.orderingPolicyRef()) {
            case "fcfs-ordering-policy" -> 0;
            case "edf-ordering-policy" -> one.budget() > 0 ? one.submitted + one.budget() : one.submitted + NEVER;
            case "slo-deadline-ordering-policy" -> one.request.slo() >= 0 ? one.received + one.request.slo() : one.received + NEVER;
            default -> throw new AssertionError(config.orderingPolicyRef());
        };
    }

    /** The head of each flow with waiting requests, flows in the order of their names. */
    Map<String, Waiting> heads() {
        Map<String, Waiting> heads = new TreeMap<>();
        for (Waiting one : queued) {
            heads.merge(one.flow(), one, (a, b) -> a.before(b) ? a : b);
        }
        return heads;
    }

    /** The best of those taken back that is not among the given ones. */
    @Nullable Waiting firstReturned(Set<Waiting> passed) {
        return returned.stream().filter(one -> !passed.contains(one)).reduce((a, b) -> a.before(b) ? a : b).orElse(null);
    }

    CapacitySnapshot snapshot() {
        return new CapacitySnapshot(config.maxRequests(), queued.size());
    }

    BandView view(long now) {
        // The oldest of the heads: where requests are ordered by deadline, an older one may wait behind a younger.
        List<Waiting> heads = new ArrayList<>(heads().values());
        heads.addAll(returned);
        long oldest = heads.stream().mapToLong(one -> now - one.submitted).max().orElse(0);
        Set<String> names = new LinkedHashSet<>();
        queued.forEach(one -> names.add(one.flow()));
        List<BandView.FlowView> flows = new ArrayList<>();
        for (String name : names) {
            flows.add(new BandView.FlowView(name, queued.stream().filter(one -> one.flow().equals(name)).count()));
        }
        flows.sort(Comparator.comparingLong(BandView.FlowView::requests).reversed().thenComparing(BandView.FlowView::fairnessId));
        return new BandView(priority, config.maxRequests(), queued.size(), config.maxBytes(), bytes(), dispatched, rejected, oldest,
                flows.size(), flows);
    }
}
