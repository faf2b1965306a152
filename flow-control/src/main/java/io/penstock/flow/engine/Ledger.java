package io.penstock.flow.engine;

import io.penstock.flow.FlowEvents;
import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.engine.Occupancy.Reservation;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Books every request in and out: its place in the band, its place under the global limit, and what the events hear of it. Each request is
 * booked out by the one thread that settled its ticket. Any thread.
 */
final class Ledger {

    final FlowEvents events;
    final LongSupplier clock;

    private final Supplier<PoolView> pool;
    private final Occupancy total = new Occupancy();
    /** The drainer's. */
    final DispatchRate totalRate;
    private volatile CountLimits totalLimits;

    Ledger(CountLimits totalLimits, Collaborators with) {
        this.totalLimits = totalLimits;
        this.totalRate = new DispatchRate(with.nanoClock().getAsLong());
        this.events = with.events();
        this.clock = with.nanoClock();
        this.pool = with.pool();
    }

    /** Changes the global limits. */
    void limit(long maxRequests, long maxBytes) {
        if (totalLimits.maxRequests != maxRequests || totalLimits.maxBytes != maxBytes) {
            totalLimits = new CountLimits(maxRequests, maxBytes);
        }
    }

    /**
     * A place in the band first, then one under the global limit: a full band takes nothing from the others, not for a moment. The global
     * count is kept without a limit too, so that it is right when one comes.
     */
    Reservation reserve(Band band, long bytes) {
        Reservation inBand = band.reserve(bytes);
        if (inBand != Reservation.ADMITTED) {
            return inBand;
        }
        CountLimits now = totalLimits;
        if (total.reserve(bytes, now.requestsEnd, now.bytesEnd) != Reservation.ADMITTED) {
            band.release(bytes);
            return Reservation.TOTAL_FULL;
        }
        return Reservation.ADMITTED;
    }

    /** What a request that found no room is told: the projection of the scope that was full, the longer one when both were. */
    int retryAfterSeconds(Band band, Reservation why, long bytes) {
        if (why == Reservation.TOTAL_FULL) {
            return totalRate.retryAfterSeconds();
        }
        int inBand = band.rate.retryAfterSeconds();
        return totalLimits.reached(total.read(), bytes) ? Math.max(inBand, totalRate.retryAfterSeconds()) : inBand;
    }

    /** The request waits no more. Called by the winner of the ticket's settlement, before it lets go of anything else. */
    void left(QueuedTicket ticket) {
        if (!ticket.counted) {
            return;
        }
        ticket.band.release(ticket.bytes);
        total.release(ticket.bytes);
    }

    /**
     * Tells the outcome. A request that was taken back has had its outcome already, when it was dispatched first; that its client was sent
     * away after all counts in its band.
     */
    void tell(QueuedTicket ticket, Outcome outcome, long waitedNanos) {
        if (!ticket.returned || outcome != Outcome.DISPATCHED) {
            ticket.band.count(outcome);
        }
        if (!ticket.returned) {
            events.settled(ticket.requested, ticket.effective, outcome, ticket.bytes, waitedNanos);
        }
    }

    /** Whether the pool has no endpoints at this moment. */
    boolean poolEmpty() {
        return pool.get().isEmpty();
    }

    void publishTotal() {
        long now = total.read();
        CountLimits configured = totalLimits;
        events.globalFill(Occupancy.requests(now), configured.maxRequests, Occupancy.bytes(now), configured.maxBytes);
    }
}
