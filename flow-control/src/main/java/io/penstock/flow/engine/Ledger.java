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
    private final CountLimits totalLimits;

    Ledger(CountLimits totalLimits, Collaborators with) {
        this.totalLimits = totalLimits;
        this.events = with.events();
        this.clock = with.nanoClock();
        this.pool = with.pool();
    }

    /** A place in the band first, then one under the global limit: a full band takes nothing from the others, not for a moment. */
    Reservation reserve(Band band, long bytes) {
        Reservation inBand = band.reserve(bytes);
        if (inBand != Reservation.ADMITTED || totalLimits.unbounded()) {
            return inBand;
        }
        Reservation inTotal = total.reserve(bytes, totalLimits.requestsEnd, totalLimits.bytesEnd);
        if (inTotal != Reservation.ADMITTED) {
            band.release(bytes);
        }
        return inTotal;
    }

    /** The request waits no more. Called by the winner of the ticket's settlement, before it lets go of anything else. */
    void left(QueuedTicket ticket) {
        if (!ticket.counted) {
            return;
        }
        ticket.band.release(ticket.bytes);
        if (!totalLimits.unbounded()) {
            total.release(ticket.bytes);
        }
    }

    /** Tells the outcome. A request that was taken back has had its outcome already, when it was dispatched first. */
    void tell(QueuedTicket ticket, Outcome outcome, long waitedNanos) {
        if (!ticket.returned) {
            ticket.band.count(outcome);
            events.settled(ticket.requested, ticket.effective, outcome, ticket.bytes, waitedNanos);
        }
    }

    /** Whether the pool has no endpoints at this moment. */
    boolean poolEmpty() {
        return pool.get().isEmpty();
    }

    void publishTotal() {
        long now = total.read();
        events.globalFill(Occupancy.requests(now), totalLimits.maxRequests, Occupancy.bytes(now), totalLimits.maxBytes);
    }
}
