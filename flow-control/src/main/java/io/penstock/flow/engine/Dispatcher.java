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

    private enum Attempt {
        DISPATCHED,
        NO_ENDPOINT,
        GONE
    }

    final Ledger ledger;
    private final Combiner combiner = new Combiner(this);
    private final WaitingRoom room;
    private volatile boolean ticked;
    private volatile boolean stopped;
    private volatile @Nullable Reload newest;

    private final BandRegistry registry;
    private final StageGate gate;
    private final UsageLimitPolicy usageLimit;
    private final Placement placement;
    private final Supplier<PoolView> pool;
    private double[] ceilings = new double[0];
    private boolean moreArrivals;

    Dispatcher(FlowControlConfig config, Collaborators with, Ledger ledger, BandRegistry registry, StageGate gate) {
        this.ledger = ledger;
        this.registry = registry;
        this.gate = gate;
        this.room = new WaitingRoom(config, ledger, registry);
        this.usageLimit = with.usageLimit();
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
     * A new request with its place reserved, one taken back, or word that a ticket was settled from outside: its place is free already, its
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
            registry.apply();
            moreArrivals = room.takeIn(!stopped);
            room.at(ledger.clock.getAsLong());
        }
        if (stopped) {
            room.settleAll();
            return moreArrivals;
        }
        if (ticked) {
            ticked = false;
            housekeep();
        }
        if (room.isEmpty()) {
            return moreArrivals;
        }
        long began = room.now();
        boolean dispatched = decide();
        // The end of one decision is the time of the next: the clock is read once for both.
        room.at(ledger.clock.getAsLong());
        ledger.events.decided(room.now() - began);
        return dispatched || moreArrivals;
    }

    @Override
    public void failed(Throwable cause) {
        ledger.events.failed("decision", cause);
    }

    private boolean decide() {
        PoolView members = pool.get();
        room.observe(members);
        double saturation = gate.measure(members, room.now());
        BandTable table = registry.table();
        if (!setCeilings(saturation, table)) {
            return false;
        }
        for (int i = 0; i < table.size(); i++) {
            BandQueues queues = table.at(i).queues;
            // Written so that a saturation or a ceiling that is no number keeps the band closed.
            boolean open = saturation < ceilings[i];
            if (open && queues.waiting() > 0 && (dispatchReturned(queues) || dispatchQueued(queues))) {
                return true;
            }
        }
        return false;
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
        while (ticket != null && misses < MISSES) {
            QueuedTicket next = ticket.after;
            Attempt attempt = attempt(ticket);
            if (attempt == Attempt.DISPATCHED) {
                return true;
            }
            misses += attempt == Attempt.NO_ENDPOINT ? 1 : 0;
            ticket = next;
        }
        return false;
    }

    private boolean dispatchQueued(BandQueues queues) {
        int misses = 0;
        boolean dispatched = false;
        while (!dispatched && misses < MISSES) {
            QueuedTicket ticket = queues.pick();
            if (ticket == null) {
                break;
            }
            Attempt attempt = attempt(ticket);
            dispatched = attempt == Attempt.DISPATCHED;
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
        if (!ticket.dispatch(lease, room.now())) {
            room.unlink(ticket);
            lease.close();
            return Attempt.GONE;
        }
        FlowQueue flow = ticket.flow;
        if (flow != null && !ticket.returned) {
            flow.queues.fairness().served(flow, ticket.bytes);
        }
        room.unlink(ticket);
        ticket.deliver();
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
        room.expireAll();
        if (room.isEmpty()) {
            gate.measure(members, room.now());
        }
        BandTable table = registry.table();
        for (int i = 0; i < table.size(); i++) {
            Band band = table.at(i);
            band.queues.evictIdle(room.now());
            band.publish(ledger);
        }
        ledger.publishTotal();
    }
}
