package io.penstock.flow.engine;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.Lease;
import io.penstock.flow.Placement;
import io.penstock.flow.PoolView;
import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.config.FlowControlConfig;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides who runs next. A decision measures the stages, asks for the ceilings and dispatches at most one request: of the highest band that
 * has one and whose ceiling is above the saturation, the one whose turn it is and that an endpoint takes. Everything below the line is the
 * drainer's; above it, any thread.
 */
final class Dispatcher implements Combiner.Work {

    /**
     * Requests of one band that may find no endpoint before a decision turns to the next band; as many again for those that were taken
     * back. What an endpoint takes depends on little but the endpoints that already failed a request, so a band whose first eight heads
     * fit nowhere is not walked to its end: it is asked again when something changes.
     */
    static final int MISSES = 8;

    /** Requests found settled or expired after which a decision ends, so that a mass cancellation is not swept in one. */
    static final int GONE = 64;

    private enum Attempt {
        DISPATCHED(0),
        NO_ENDPOINT(0),
        GONE(1),
        /** A request was taken back in the meantime: who is next is not known before it is in its queue, so the decision ends. */
        OVERTAKEN(Dispatcher.GONE);

        /** What it counts towards the end of the decision. */
        final int gone;

        Attempt(int gone) {
            this.gone = gone;
        }
    }

    final Ledger ledger;
    private final Combiner combiner = new Combiner(this);
    private final WaitingRoom room;
    private volatile boolean ticked;
    private volatile boolean stopped;
    private volatile @Nullable Reload newest;

    private final BandRegistry registry;
    private final StageGate gate;
    private final BandOrder order;
    private UsageLimitPolicy usageLimit;
    /** Null while eviction is off. */
    private @Nullable Reclaimer reclaimer;
    private @Nullable Reload applied;
    private final Placement placement;
    private final Supplier<PoolView> pool;
    private double[] ceilings = new double[0];
    private boolean moreArrivals;
    /** The time was read in this very frame. */
    private boolean timely;
    /** Requests that this decision found settled or expired; {@link #GONE} at its end. */
    private int gone;

    Dispatcher(FlowControlConfig config, Collaborators with, Ledger ledger, BandRegistry registry, StageGate gate) {
        this.ledger = ledger;
        this.registry = registry;
        this.gate = gate;
        this.room = new WaitingRoom(config, ledger, registry);
        this.order = new BandOrder(with.bandSelection(), registry.table(), ledger.events);
        this.usageLimit = with.usageLimit();
        this.reclaimer = config.evicts() ? new Reclaimer(ledger.events, config.evictionGraceNanos()) : null;
        this.placement = with.placement();
        this.pool = with.pool();
    }

    Combiner combiner() {
        return combiner;
    }

    boolean stopped() {
        return stopped;
    }

    void tick() {
        ticked = true;
        combiner.signal();
    }

    /** The newest wins. */
    void reconfigure(Reload reload) {
        newest = reload;
        combiner.signal();
    }

    void stop() {
        stopped = true;
        combiner.signal();
    }

    /**
     * A new request with its place reserved.
     *
     * @param now when it was submitted, which is this moment: whoever drains in this very frame need not read the clock again
     */
    void arrive(QueuedTicket ticket, long now) {
        room.offer(ticket);
        if (combiner.enter()) {
            room.at(now);
            timely = true;
            combiner.drain();
        }
    }

    /**
     * A request taken back, or word that a ticket was settled from outside: its place is free already, its
     * node leaves the queue when the drainer hears of it.
     */
    void offer(QueuedTicket ticket) {
        room.offer(ticket);
        combiner.signal();
    }

    // ------------------------------------------------------------------------------------------------------------------- drainer

    @Override
    public boolean step(boolean changed) {
        if (changed || moreArrivals) {
            if (!timely) {
                room.later();
            }
            timely = false;
            takeOver();
            registry.apply();
            moreArrivals = room.takeIn(!stopped);
            if (reclaimer != null) {
                reclaimer.takeIn(room.now());
            }
        }
        if (stopped) {
            room.settleAll();
            return moreArrivals;
        }
        if (ticked) {
            ticked = false;
            housekeep();
        }
        room.expireSome();
        if (room.isEmpty()) {
            return moreArrivals || room.expiring();
        }
        long began = room.now();
        boolean dispatched = decide();
        // The end of one decision is the time of the next: the clock is read once for both.
        room.at(ledger.clock.getAsLong());
        ledger.events.decided(room.now() - began);
        return dispatched || moreArrivals || room.expiring();
    }

    @Override
    public void failed(Throwable cause) {
        ledger.events.failed("decision", cause);
    }

    private boolean decide() {
        gone = 0;
        PoolView members = pool.get();
        room.observe(members);
        double saturation = gate.measure(members, room.now());
        BandTable table = registry.table();
        if (!setCeilings(saturation, table)) {
            return false;
        }
        for (int index : order.rank(table, saturation, ceilings, room.now())) {
            BandQueues queues = table.at(index).queues;
            if (queues.waiting() > 0 && order.open(index) && (dispatchReturned(queues) || dispatchQueued(queues))) {
                order.dispatched(table.at(index).priority, room.now());
                return true;
            }
            if (gone >= GONE) {
                // There may be more of them in front of a request that is next: again, and not on to another band.
                return true;
            }
        }
        // Where there is no endpoint, no request that stops makes room.
        if (reclaimer != null && gate.hasEndpoints(members) && reclaimer.ready(room.now())) {
            reclaimer.blocked(table, saturation, gate.observed(members, room.now()), ceilings, room.now());
        }
        return false;
    }

    /** Becomes what the newest configuration says, as a whole: all that can fail comes first. */
    private void takeOver() {
        Reload to = newest;
        if (to == null || to == applied) {
            return;
        }
        applied = to;
        FlowControlConfig config = to.config();
        Collaborators with = to.with();
        try {
            registry.configure(config, with, room::rearm);
        } catch (Throwable broken) {
            ledger.events.failed("reconfigure", broken);
            return;
        }
        ledger.limit(config.maxRequests(), config.maxBytes());
        room.noEndpointTtl(config.noEndpointTtlNanos());
        gate.configure(with, config.gateOn());
        usageLimit = with.usageLimit();
        order.policy(with.bandSelection());
        evict(config);
    }

    private void evict(FlowControlConfig config) {
        if (!config.evicts()) {
            if (reclaimer != null) {
                reclaimer.close();
            }
            reclaimer = null;
        } else if (reclaimer == null) {
            reclaimer = new Reclaimer(ledger.events, config.evictionGraceNanos());
        } else {
            reclaimer.grace(config.evictionGraceNanos());
        }
    }

    private boolean setCeilings(double saturation, BandTable table) {
        if (ceilings.length != table.size()) {
            ceilings = new double[table.size()];
        }
        Arrays.fill(ceilings, 1.0);
        try {
            usageLimit.ceilings(saturation, table.priorities(), ceilings);
            return true;
        } catch (Throwable broken) {
            ledger.events.failed("usage-limit", broken);
            return false;
        }
    }

    private boolean dispatchReturned(BandQueues queues) {
        int misses = 0;
        QueuedTicket ticket = queues.firstReturned();
        while (ticket != null && misses < MISSES && gone < GONE) {
            QueuedTicket next = ticket.after;
            Attempt attempt = attempt(ticket);
            if (attempt == Attempt.DISPATCHED) {
                return true;
            }
            misses += attempt == Attempt.NO_ENDPOINT ? 1 : 0;
            gone += attempt.gone;
            ticket = next;
        }
        return false;
    }

    private boolean dispatchQueued(BandQueues queues) {
        int misses = 0;
        boolean dispatched = false;
        while (!dispatched && misses < MISSES && gone < GONE) {
            QueuedTicket ticket = queues.pick();
            if (ticket == null) {
                break;
            }
            Attempt attempt = attempt(ticket);
            dispatched = attempt == Attempt.DISPATCHED;
            gone += attempt.gone;
            FlowQueue flow = ticket.flow;
            if (attempt == Attempt.NO_ENDPOINT && flow != null) {
                queues.fairness().setAside(flow);
                misses++;
            }
        }
        if (misses > 0) {
            queues.fairness().restore();
        }
        return dispatched;
    }

    /** Place and charge, then settle: whoever settled the ticket in between has won, and the charge is undone. */
    private Attempt attempt(QueuedTicket ticket) {
        AdmissionRequest request = ticket.request();
        if (request == null || !ticket.waiting()) {
            room.unlink(ticket);
            return Attempt.GONE;
        }
        if (room.expired(ticket)) {
            return Attempt.GONE;
        }
        Lease lease = place(request);
        if (lease == null) {
            return Attempt.NO_ENDPOINT;
        }
        if (room.returning()) {
            // The place that was found may be its own, given back since: it is in line first, and takes the place or leaves it.
            moreArrivals = true;
            lease.close();
            return Attempt.OVERTAKEN;
        }
        Running running = reclaimer == null ? null : reclaimer.track(lease, ticket.requested.priority());
        Lease charged = running == null ? lease : running;
        if (!ticket.dispatch(charged, room.now())) {
            room.unlink(ticket);
            charged.close();
            return Attempt.GONE;
        }
        FlowQueue flow = ticket.flow;
        if (flow != null && !ticket.returned) {
            flow.queues.fairness().served(flow, ticket.bytes);
        }
        room.unlink(ticket);
        ticket.band.rate.dispatched();
        ledger.totalRate.dispatched();
        if (running != null) {
            running.listener = ticket.listener();
            running.owner = ticket.owner();
        }
        ticket.deliver();
        if (running != null && reclaimer != null) {
            reclaimer.started(running);
        }
        return Attempt.DISPATCHED;
    }

    private @Nullable Lease place(AdmissionRequest request) {
        try {
            return placement.place(request);
        } catch (Throwable broken) {
            ledger.events.failed("placement", broken);
            return null;
        }
    }

    private void housekeep() {
        PoolView members = pool.get();
        room.observe(members);
        room.sweep();
        if (reclaimer != null) {
            reclaimer.quiet(room.now());
        }
        if (room.isEmpty()) {
            gate.measure(members, room.now());
        }
        BandTable table = registry.table();
        for (int i = 0; i < table.size(); i++) {
            Band band = table.at(i);
            band.queues.evictIdle(room.now());
            band.rate.publish(room.now());
            band.publish(ledger);
        }
        ledger.totalRate.publish(room.now());
        ledger.publishTotal();
    }
}
