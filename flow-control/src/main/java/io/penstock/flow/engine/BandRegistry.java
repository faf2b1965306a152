package io.penstock.flow.engine;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says which bands there are: the static ones and band 0 for good, the wanted ones from their templates, and those that are neither until
 * they are empty (spec/flow-control section 2.1). {@link #table} and {@link #want} are for any thread, everything else for the drainer.
 */
final class BandRegistry {

    private final FlowEvents events;
    private final FlowHooks hooks;
    private final LongSupplier clock;
    private FlowControlConfig config;
    private Function<String, FairnessPolicy> fairness;
    private Function<String, OrderingPolicy> ordering;
    private Map<Integer, BandConfig> statics;
    /** One slot: a newer set replaces one that was not applied yet. */
    private final AtomicReference<@Nullable Set<Integer>> mailbox = new AtomicReference<>();
    private Set<Integer> wanted = Set.of();
    private boolean unwantedLeft;
    private volatile BandTable table;

    BandRegistry(FlowControlConfig config, Collaborators with) {
        this.events = with.events();
        this.hooks = with.hooks();
        this.clock = with.nanoClock();
        this.config = config;
        this.fairness = with.fairness();
        this.ordering = with.ordering();
        this.statics = statics(config);
        this.table = new BandTable(statics.values().stream().map(band -> create(band, config, with)).toList());
    }

    /** The static bands of a configuration; band 0 is always one of them. */
    private static Map<Integer, BandConfig> statics(FlowControlConfig config) {
        Map<Integer, BandConfig> all = new LinkedHashMap<>();
        config.bands().forEach(band -> all.put(band.priority(), band));
        all.putIfAbsent(0, config.defaultBand().withPriority(0));
        return all;
    }

    BandTable table() {
        return table;
    }

    void want(Set<Integer> priorities) {
        mailbox.set(Set.copyOf(priorities));
    }

    /** Applies the newest wanted set, unless a test holds it, and removes what has become empty. */
    void apply() {
        if (mailbox.get() != null && !hooks.holdProvisioning()) {
            Set<Integer> newest = mailbox.getAndSet(null);
            if (newest != null) {
                provision(newest);
            }
        }
        if (unwantedLeft) {
            removeEmpty();
        }
    }

    private void provision(Set<Integer> newest) {
        wanted = newest;
        unwantedLeft = true;
        List<Band> bands = new ArrayList<>(table.all());
        for (int priority : newest) {
            if (table.find(priority) == null) {
                bands.add(create(config.template(priority), config, fairness, ordering));
            }
        }
        if (bands.size() > table.size()) {
            table = new BandTable(bands);
        }
    }

    private void removeEmpty() {
        List<Band> kept = new ArrayList<>();
        List<Band> removed = new ArrayList<>();
        unwantedLeft = false;
        for (Band band : table.all()) {
            boolean stays = statics.containsKey(band.priority) || wanted.contains(band.priority);
            if (!stays && band.close()) {
                removed.add(band);
            } else {
                kept.add(band);
                unwantedLeft |= !stays;
            }
        }
        if (!removed.isEmpty()) {
            table = new BandTable(kept);
            for (Band band : removed) {
                band.queues.forgetFlows();
                events.bandRemoved(band.priority);
            }
        }
    }

    /**
     * Takes another configuration over. All that can fail, the making of policies, is done before anything is changed.
     *
     * @param rearm hears of each band whose budget has changed
     */
    void configure(FlowControlConfig to, Collaborators with, Consumer<Band> rearm) {
        Map<Integer, BandConfig> next = statics(to);
        List<Change> changes = new ArrayList<>();
        for (Band band : table.all()) {
            BandConfig target = next.getOrDefault(band.priority, to.template(band.priority));
            changes.add(change(band, target, with));
        }
        List<Band> bands = new ArrayList<>(table.all());
        for (BandConfig band : next.values()) {
            if (table.find(band.priority()) == null) {
                bands.add(create(band, to, with));
            }
        }
        config = to;
        fairness = with.fairness();
        ordering = with.ordering();
        statics = next;
        unwantedLeft = true;
        for (Change change : changes) {
            apply(change, rearm);
        }
        if (bands.size() > table.size()) {
            table = new BandTable(bands);
        }
    }

    /** What becomes of one band; a policy that is null stays. */
    private record Change(Band band, BandConfig config, @Nullable FairnessPolicy fairness, @Nullable OrderingPolicy ordering) {
    }

    private Change change(Band band, BandConfig to, Collaborators with) {
        boolean sameFairness = with.fairness() == fairness && to.fairnessPolicyRef().equals(band.config().fairnessPolicyRef());
        boolean sameOrdering = with.ordering() == ordering && to.orderingPolicyRef().equals(band.config().orderingPolicyRef());
        return new Change(band, to, sameFairness ? null : with.fairness().apply(to.fairnessPolicyRef()),
                sameOrdering ? null : with.ordering().apply(to.orderingPolicyRef()));
    }

    private void apply(Change change, Consumer<Band> rearm) {
        Band band = change.band();
        boolean budgetChanged = band.configure(change.config(), config.requestTtlNanos());
        if (budgetChanged || change.fairness() != null || change.ordering() != null) {
            // A rank may hang on the budget.
            band.queues.configure(change.fairness(), change.ordering());
        }
        if (budgetChanged) {
            rearm.accept(band);
        }
    }

    private Band create(BandConfig band, FlowControlConfig from, Collaborators with) {
        return create(band, from, with.fairness(), with.ordering());
    }

    private Band create(BandConfig band, FlowControlConfig from, Function<String, FairnessPolicy> flows,
            Function<String, OrderingPolicy> requests) {
        BandQueues queues = new BandQueues(band.priority(), flows.apply(band.fairnessPolicyRef()),
                requests.apply(band.orderingPolicyRef()), events);
        return new Band(band, from.requestTtlNanos(), queues, clock.getAsLong());
    }
}
