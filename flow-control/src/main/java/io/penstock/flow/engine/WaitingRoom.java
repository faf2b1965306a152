package io.penstock.flow.engine;

import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.config.FlowControlConfig;
import java.util.ArrayList;
import java.util.List;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Everything that waits, over all bands: takes arrivals and departures in, ends what has waited too long, and sends all away at the end.
 * The drainer's, but for {@link #offer}.
 */
final class WaitingRoom {

    /** Arrivals and departures of one band taken in before the next decision, so that no step is long, whatever came at once. */
    private static final int INTAKE = 64;
    private static final int RETURNS_CHUNK = 64;

    /** Requests taken back; one queue for all bands, for their own may be gone. */
    private final MpscUnboundedAtomicArrayQueue<QueuedTicket> returns = new MpscUnboundedAtomicArrayQueue<>(RETURNS_CHUNK);
    private final Ledger ledger;
    private final BandRegistry registry;
    private final WaitBudget budget;
    private final Deadlines deadlines;
    private long now;
    /** Whether {@link #now} is this decision's. */
    private boolean timely;

    WaitingRoom(FlowControlConfig config, Ledger ledger, BandRegistry registry) {
        this.ledger = ledger;
        this.registry = registry;
        this.budget = new WaitBudget(config.noEndpointTtlNanos());
        this.now = ledger.clock.getAsLong();
        this.deadlines = new Deadlines(budget, now, this::expire);
    }

    /** An arrival, or word that a ticket was settled from outside. Any thread. */
    void offer(QueuedTicket ticket) {
        if (ticket.returned) {
            returns.offer(ticket);
        } else {
            ticket.band.offer(ticket);
        }
    }

    /** Whether a request that was taken back is not in its queue yet; true to whoever sees a place that was given back after its offer. */
    boolean returning() {
        return !returns.isEmpty();
    }

    /** The time of this decision. */
    void at(long nanos) {
        // It may have been read by a thread that was then held up: time does not go back.
        now = nanos - now > 0 ? nanos : now;
        timely = true;
    }

    /** The time of the next decision is read when something first asks for it: most signals find nothing to do. */
    void later() {
        timely = false;
    }

    long now() {
        if (!timely) {
            at(ledger.clock.getAsLong());
        }
        return now;
    }

    boolean isEmpty() {
        BandTable table = registry.table();
        for (int i = 0; i < table.size(); i++) {
            if (table.at(i).queues.waiting() > 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Takes in what was offered.
     *
     * @param open false after a shutdown: then arrivals are sent away
     * @return whether more was offered than one decision takes in
     */
    boolean takeIn(boolean open) {
        boolean more = false;
        BandTable table = registry.table();
        for (int i = 0; i < table.size(); i++) {
            Band band = table.at(i);
            int taken = 0;
            for (QueuedTicket ticket = band.poll(); ticket != null; ticket = band.poll()) {
                takeIn(ticket, band.queues, open);
                if (++taken == INTAKE) {
                    more = true;
                    break;
                }
            }
        }
        for (QueuedTicket ticket = returns.relaxedPoll(); ticket != null; ticket = returns.relaxedPoll()) {
            Band home = table.find(ticket.band.priority);
            takeIn(ticket, home == null ? table.zero().queues : home.queues, open);
        }
        return more;
    }

    private void takeIn(QueuedTicket ticket, BandQueues queues, boolean open) {
        switch (ticket.spot) {
            case NOT_SEEN -> {
                if (!ticket.waiting()) {
                    ticket.spot = QueuedTicket.Spot.GONE;
                    tell(ticket, Outcome.EVICTED_CONTEXT_CANCELLED);
                } else if (open) {
                    queues.link(ticket);
                    deadlines.add(ticket);
                    tell(ticket, null);
                } else {
                    ticket.spot = QueuedTicket.Spot.GONE;
                    settle(ticket, QueuedTicket.SHUT_DOWN, RejectReason.SHUTTING_DOWN, Outcome.REJECTED_OTHER);
                    tell(ticket, Outcome.REJECTED_OTHER);
                }
            }
            case LINKED -> unlink(ticket);
            case GONE -> {
                // Found dead at the head of its flow before the word of its departure came.
            }
            default -> throw new AssertionError(ticket.spot);
        }
    }

    /** A request that was taken back has been told of before. */
    private void tell(QueuedTicket ticket, @Nullable Outcome outcome) {
        if (!ticket.returned) {
            ledger.events.enqueued(ticket.effective, outcome, Math.max(0, now() - ticket.submittedNanos));
        }
    }

    /** Takes a ticket out of its queue, whatever became of it. */
    void unlink(QueuedTicket ticket) {
        FlowQueue flow = ticket.flow;
        if (flow != null) {
            deadlines.remove(ticket);
            flow.queues.unlink(ticket, now());
        }
    }

    /** Notes whether the pool has endpoints; a change gives everything that waits a new deadline, in time and not at once. */
    void observe(PoolView members) {
        if (budget.observe(members.isEmpty(), now())) {
            deadlines.flip();
        }
    }

    /** Takes another no-endpoint budget over. */
    void noEndpointTtl(long nanos) {
        if (budget.noEndpointNanos() != nanos) {
            budget.noEndpointNanos(nanos);
            registry.table().all().forEach(this::rearm);
        }
    }

    /** The budgets of a band have changed. */
    void rearm(Band band) {
        band.queues.forEach(deadlines::again);
    }

    /** Whether the ticket has waited too long; then it is sent away here and now. */
    boolean expired(QueuedTicket ticket) {
        boolean over = budget.over(ticket, now());
        if (over) {
            expire(ticket);
        }
        return over;
    }

    /** What has waited too long is to be sent away, by {@link #expireSome}. */
    void sweep() {
        deadlines.sweep();
    }

    /** Sends away some of what has waited too long. */
    void expireSome() {
        if (deadlines.busy()) {
            deadlines.work(now());
        }
    }

    /** Whether {@link #expireSome} is to be called again at once. */
    boolean expiring() {
        return deadlines.busy();
    }

    private void expire(QueuedTicket ticket) {
        unlink(ticket);
        boolean noEndpoints = budget.poolEmpty();
        Outcome outcome = noEndpoints ? Outcome.EVICTED_NO_ENDPOINTS : Outcome.EVICTED_TTL;
        // The pool may have lost its last endpoint since this regime was noted; the client is told what is true now.
        RejectReason why = noEndpoints || ledger.poolEmpty() ? RejectReason.NO_ENDPOINTS : RejectReason.TTL_EXPIRED;
        settle(ticket, QueuedTicket.EXPIRED, why, outcome);
    }

    /** Sends everything away, because the process stops. */
    void settleAll() {
        List<QueuedTicket> all = new ArrayList<>();
        for (Band band : registry.table().all()) {
            band.queues.forEach(all::add);
        }
        for (QueuedTicket ticket : all) {
            unlink(ticket);
            settle(ticket, QueuedTicket.SHUT_DOWN, RejectReason.SHUTTING_DOWN, Outcome.EVICTED_OTHER);
        }
    }

    private void settle(QueuedTicket ticket, int state, RejectReason why, Outcome outcome) {
        if (ticket.refuse(state, why, outcome, now(), 0)) {
            ticket.deliver();
        }
    }
}
