package io.penstock.flow.engine;

import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Says which bands there are: the static ones and band 0 for good, the wanted ones from their templates, and those that are neither until
 * they are empty (spec/flow-control section 2.1). {@link #table} and {@link #want} are for any thread, everything else for the drainer.
 */
final class BandRegistry {

    private final FlowControlConfig config;
    private final Collaborators with;
    private final Set<Integer> statics = new HashSet<>();
    /** One slot: a newer set replaces one that was not applied yet. */
    private final AtomicReference<@Nullable Set<Integer>> mailbox = new AtomicReference<>();
    private Set<Integer> wanted = Set.of();
    private boolean unwantedLeft;
    private volatile BandTable table;

    BandRegistry(FlowControlConfig config, Collaborators with) {
        this.config = config;
        this.with = with;
        List<Band> bands = new ArrayList<>();
        for (BandConfig band : config.bands()) {
            bands.add(create(band));
            statics.add(band.priority());
        }
        if (statics.add(0)) {
            bands.add(create(config.defaultBand().withPriority(0)));
        }
        this.table = new BandTable(bands);
    }

    BandTable table() {
        return table;
    }

    void want(Set<Integer> priorities) {
        mailbox.set(Set.copyOf(priorities));
    }

    /** Applies the newest wanted set, unless a test holds it, and removes what has become empty. */
    void apply() {
        if (mailbox.get() != null && !with.hooks().holdProvisioning()) {
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
                bands.add(create(config.template(priority)));
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
            boolean stays = statics.contains(band.priority) || wanted.contains(band.priority);
            if (!stays && band.close()) {
                removed.add(band);
            } else {
                kept.add(band);
                unwantedLeft |= !stays;
            }
        }
        if (!removed.isEmpty()) {
            table = new BandTable(kept);
            removed.forEach(band -> with.events().bandRemoved(band.priority));
        }
    }

    private Band create(BandConfig band) {
        BandQueues queues = new BandQueues(with.fairness().apply(band.fairnessPolicyRef()),
                with.ordering().apply(band.orderingPolicyRef()), with.events());
        return new Band(band, config.requestTtlNanos(), queues);
    }
}
